// replay_common.h: what the pages of all recordings share: the header as JSON, statistics, traces.
#pragma once

#include "byte_planes.h"
#include "replay.h"

void *replay_take(planes *out, size_t count);   // words; marks `out` as failed if there are none
// The JSON text with its length in 4 bytes; frees the object.
void replay_preface(planes *out, json_t *meta);
// What a page knows of any recording: the header with its bodies, frames, rows, columns.
json_t *replay_describe(const recording *what, const replay_settings *settings,
                        const record_steps *steps, const uint32_t *column, size_t columns);
void replay_steps(planes *out, const record_steps *steps, const uint32_t *column, size_t columns);
int64_t replay_unsolved(const record_steps *steps, uint32_t column);   // rows
