// chunk.h: the header of a chunk, and the list of chunks.
#pragma once

#include "record.h"

// Fills in the 24 bytes before the stored data, which must stand behind them already, and chunk->crc.
void chunk_header(record_chunk *chunk, unsigned char *at);
int index_add(record_index *index, const record_chunk *chunk);   // 0, or RECORD_IO
