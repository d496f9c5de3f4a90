// frames.c: FRAM: positions, orientations, velocities and contacts of some frames.
#include "frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "word_planes.h"

enum { FRAMES_HEADER = 16 /* bytes */, TOUCH_WORDS = sizeof(record_touch)/4 };

int bytes_reserve(record_bytes *bytes, size_t length) {
  if (length > bytes->room) {
    unsigned char *data = realloc(bytes->data, length);
    if (!data) return RECORD_IO;
    bytes->data = data;
    bytes->room = length;
  }
  bytes->length = length;
  return RECORD_OK;
}

int record_frames_create(uint32_t bodies, uint32_t room, record_frames *out) {
  *out = (record_frames){.bodies = bodies, .room = room};
  out->state = calloc((size_t)RECORD_COMPONENTS*room*bodies + 1, sizeof *out->state);
  out->touches = calloc((size_t)room + 1, sizeof *out->touches);
  if (out->state && out->touches) return RECORD_OK;
  record_frames_free(out);
  return RECORD_IO;
}

float *record_frame(const record_frames *frames, int component, uint32_t frame) {
  return frames->state + ((size_t)component*frames->room + frame)*frames->bodies;
}

int record_frames_touch(record_frames *frames, const record_touch *touch) {
  if (frames->touch_count == frames->touch_room) {
    const uint32_t room = 2*frames->touch_room + 64;
    record_touch *grown = realloc(frames->touch, (size_t)room*sizeof *grown);
    if (!grown) return RECORD_IO;
    frames->touch = grown;
    frames->touch_room = room;
  }
  frames->touch[frames->touch_count++] = *touch;
  frames->touches[frames->frames - 1]++;
  return RECORD_OK;
}

int record_frames_append(record_frames *to, const record_frames *from) {
  if (from->bodies != to->bodies || from->frames > to->room - to->frames) return RECORD_CORRUPT;
  const size_t bytes = (size_t)from->frames*from->bodies*sizeof(float);
  for (int c = 0; c < RECORD_COMPONENTS && bytes > 0; c++)
    memcpy(record_frame(to, c, to->frames), record_frame(from, c, 0), bytes);
  const record_touch *touch = from->touch;
  for (uint32_t f = 0; f < from->frames; f++) {
    const uint32_t touches = from->touches[f];
    to->frames++;
    if (touches == RECORD_NO_TOUCHES) to->touches[to->frames - 1] = touches;
    for (uint32_t i = 0; i < touches && touches != RECORD_NO_TOUCHES; i++)
      if (record_frames_touch(to, touch++) != RECORD_OK) return RECORD_IO;
  }
  return RECORD_OK;
}

void record_frames_clear(record_frames *frames, uint32_t first) {
  frames->first = first;
  frames->frames = frames->touch_count = 0;
  memset(frames->touches, 0, (size_t)frames->room*sizeof *frames->touches);
}

void record_frames_free(record_frames *frames) {
  free(frames->state);
  free(frames->touches);
  free(frames->touch);
  *frames = (record_frames){0};
}

float record_round(double value, double quantum) {
  return (float)(quantum > 0.0 ? rint(value/quantum)*quantum + 0.0 : value);   // never -0
}

float record_round_bits(double value, double least) {
  if (least < 0.0) return (float)value;
  if (!(fabs(value) > least)) return 0.0f;
  int exponent;
  const double part = frexp(value, &exponent);
  return (float)ldexp(rint(ldexp(part, 13)), exponent - 13);
}

double record_quantum(double smallest) {
  int exponent;
  frexp(1e-5*smallest, &exponent);
  return smallest > 0.0 ? ldexp(1.0, exponent - 1) : 0.0;
}

static size_t frames_bytes(uint64_t frames, uint64_t bodies, uint64_t touches) {
  return (size_t)(FRAMES_HEADER + 4*(RECORD_COMPONENTS*frames*bodies + frames +
                                     TOUCH_WORDS*touches));
}

int frames_encode(const record_frames *frames, record_bytes *out) {
  const size_t cells = (size_t)frames->frames*frames->bodies, touches = frames->touch_count;
  uint32_t *words = malloc((cells > touches ? cells : touches)*sizeof *words + 4);
  const size_t length = frames_bytes(frames->frames, frames->bodies, touches);
  if (!words || bytes_reserve(out, length) != RECORD_OK) {
    free(words);
    return RECORD_IO;
  }
  unsigned char *at = out->data;
  put32(at, frames->frames);
  put32(at + 4, frames->bodies);
  put32(at + 8, frames->touch_count);
  put32(at + 12, 0);
  at += FRAMES_HEADER;
  for (int c = 0; c < RECORD_COMPONENTS; c++, at += 4*cells) {
    if (cells > 0) memcpy(words, record_frame(frames, c, 0), 4*cells);
    plane_difference(words, frames->frames, frames->bodies);
    plane_pack(words, cells, 4, at);
  }
  for (uint32_t f = 0; f < frames->frames; f++, at += 4) put32(at, frames->touches[f]);
  for (size_t c = 0; c < TOUCH_WORDS; c++, at += 4*touches) {
    for (size_t i = 0; i < touches; i++)
      memcpy(&words[i], (const unsigned char *)&frames->touch[i] + 4*c, 4);
    plane_pack(words, touches, 4, at);
  }
  free(words);
  return RECORD_OK;
}

static int all_finite(const float *value, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(value[i])) return 0;
  }
  return 1;
}

// The contacts behind the states: counts per frame that add up, then planes of finite numbers.
static int touches_decode(const unsigned char *at, uint32_t touches, record_frames *out,
                          char *message, size_t size) {
  uint64_t sum = 0;
  for (uint32_t f = 0; f < out->frames; f++, at += 4) {
    out->touches[f] = get32(at);
    if (out->touches[f] != RECORD_NO_TOUCHES) sum += out->touches[f];
  }
  if (sum != touches) {
    snprintf(message, size, "the contacts of the frames add up to %llu, not %lu",
             (unsigned long long)sum, (unsigned long)touches);
    return RECORD_CORRUPT;
  }
  out->touch = malloc((size_t)touches*sizeof *out->touch + 1);
  uint32_t *words = malloc((size_t)touches*sizeof *words + 4);
  if (!out->touch || !words) {
    free(words);
    return RECORD_IO;
  }
  out->touch_count = out->touch_room = touches;
  for (size_t c = 0; c < TOUCH_WORDS; c++, at += 4*(size_t)touches) {
    plane_unpack(at, touches, 4, words);
    for (size_t i = 0; i < touches; i++)
      memcpy((unsigned char *)&out->touch[i] + 4*c, &words[i], 4);
  }
  free(words);
  for (uint32_t i = 0; i < touches; i++) {
    if (all_finite(out->touch[i].point, 10)) continue;
    snprintf(message, size, "contact %lu is not finite", (unsigned long)i);
    return RECORD_CORRUPT;
  }
  return RECORD_OK;
}

int frames_check(const record_bytes *plain, const record_chunk *chunk, char *message, size_t size) {
  if (plain->length < FRAMES_HEADER) {
    snprintf(message, size, "FRAM has only %zu bytes", plain->length);
    return RECORD_CORRUPT;
  }
  const uint32_t frames = get32(plain->data), bodies = get32(plain->data + 4),
                 touches = get32(plain->data + 8);
  if (frames != chunk->count) {
    snprintf(message, size, "FRAM has %lu frames, its header says %lu", (unsigned long)frames,
             (unsigned long)chunk->count);
    return RECORD_CORRUPT;
  }
  if (get32(plain->data + 12) != 0) {
    snprintf(message, size, "FRAM has %lu in place of a 0", (unsigned long)get32(plain->data + 12));
    return RECORD_CORRUPT;
  }
  // Each factor is below 2^28 / 4, or the sizes cannot agree: the sum below is exact in 64 bits.
  const int fits = frames <= RECORD_PLAIN_MAX && bodies <= RECORD_PLAIN_MAX;
  if (!fits || frames_bytes(frames, bodies, touches) != plain->length) {
    snprintf(message, size,
             "FRAM of %lu frames, %lu bodies and %lu contacts does not have %zu bytes",
             (unsigned long)frames, (unsigned long)bodies, (unsigned long)touches, plain->length);
    return RECORD_CORRUPT;
  }
  return RECORD_OK;
}

int frames_decode(const record_bytes *plain, const record_chunk *chunk, record_frames *out,
                  char *message, size_t size) {
  *out = (record_frames){0};
  int code = frames_check(plain, chunk, message, size);
  if (code) return code;
  const uint32_t frames = get32(plain->data), bodies = get32(plain->data + 4),
                 touches = get32(plain->data + 8);
  if (record_frames_create(bodies, frames, out) != RECORD_OK) return RECORD_IO;
  out->first = chunk->first;
  out->frames = frames;
  const size_t cells = (size_t)frames*bodies;
  const unsigned char *at = plain->data + FRAMES_HEADER;
  uint32_t *words = malloc(4*cells + 4);
  code = words ? RECORD_OK : RECORD_IO;
  for (int c = 0; c < RECORD_COMPONENTS && !code; c++, at += 4*cells) {
    plane_unpack(at, cells, 4, words);
    plane_sum(words, frames, bodies);
    if (cells > 0) memcpy(record_frame(out, c, 0), words, 4*cells);
  }
  free(words);
  if (!code && !all_finite(out->state, RECORD_COMPONENTS*cells)) {
    snprintf(message, size, "a position or velocity is not finite");
    code = RECORD_CORRUPT;
  }
  if (!code) code = touches_decode(at, touches, out, message, size);
  if (code) record_frames_free(out);
  return code;
}
