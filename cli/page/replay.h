// replay.h: a recording as the player reads it: rounded to what a screen can show, packed, as text.
#pragma once

#include "file.h"
#include "liquid_frames.h"
#include "recording.h"

typedef struct replay_settings {
  int64_t every;          // takes each every-th recorded frame
  int contacts;           // 0: leaves them out
  int64_t particles;      // of a liquid: at most this many in a frame; 0: what a page has room for
  int64_t cells;          // of a liquid in space: likewise
  const liquid_scale *scale;   // of a liquid: what is rounded; beside another one the wider of both
} replay_settings;

typedef struct replay {
  char *text;             // length: base64 of a zlib stream, no NUL behind it
  size_t length;
  int64_t frames, bodies, contacts, steps, unsolved;   // what is in it
  // of a liquid, of the fullest frame: those of the scene, recorded, and in the page
  int64_t particles, recorded, kept;
} replay;

// 0, or an exit code after having said what is wrong. docs/player.md has the layout.
int replay_make(const recording *what, const replay_settings *settings, replay *out);
int replay_liquid(const recording *what, const replay_settings *settings, replay *out);
void replay_free(replay *what);
