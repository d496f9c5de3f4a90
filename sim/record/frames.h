// frames.h: frames and rows to the plain data of a chunk, and back.
#pragma once

#include "record.h"

// Replaces what is in *out; 0, or RECORD_IO: no memory.
int frames_encode(const record_frames *frames, record_bytes *out);
int steps_encode(const record_steps *steps, record_bytes *out);
int flow_encode(const record_flow *flow, record_bytes *out);
int grid_encode(const record_grid *grid, record_bytes *out);
int times_encode(const record_steps *steps, record_bytes *out);

// Whether the numbers that begin the data agree with each other, the chunk's header and the length
// of the data, of which only the first RECORD_PEEK bytes need be there. Then the sizes are safe to
// allocate. 0, or an exit code with what is wrong, without the place.
int frames_check(const record_bytes *plain, const record_chunk *chunk, char *message, size_t size);
int flow_check(const record_bytes *plain, const record_chunk *chunk, char *message, size_t size);
int grid_check(const record_bytes *plain, const record_chunk *chunk, char *message, size_t size);
int steps_check(const record_bytes *plain, const record_chunk *chunk, char *message, size_t size);

// These check that, too, and then the rest.
int frames_decode(const record_bytes *plain, const record_chunk *chunk, record_frames *out,
                  char *message, size_t size);
int flow_decode(const record_bytes *plain, const record_chunk *chunk, record_flow *out,
                char *message, size_t size);
int grid_decode(const record_bytes *plain, const record_chunk *chunk, record_grid *out,
                char *message, size_t size);
int steps_decode(const record_bytes *plain, const record_chunk *chunk, record_steps *out,
                 char *message, size_t size);
int times_decode(const record_bytes *plain, const record_chunk *chunk, record_steps *out,
                 char *message, size_t size);

int bytes_reserve(record_bytes *bytes, size_t length);   // 0, or RECORD_IO
