// recording_head.h: the header of a recording from its JSON.
#pragma once

#include "recording.h"

// 0, or 1 with what is wrong. Strings belong to the JSON object, which must stay.
int recording_head_read(const json_t *object, recording_head *head, char *message, size_t size);
extern const char *const recording_field_name[3];   // of bits 0, 1, 2 of liquid.fields
void recording_head_free(recording_head *head);
