// run_record.h: what perp run writes down while it runs: frames, statistics, states to resume from.
#pragma once

#include <scene.h>

#include "recording.h"

typedef enum recorder_contacts { CONTACTS_AUTO, CONTACTS_ALL, CONTACTS_NONE } recorder_contacts;

typedef struct recorder {      // all zero: nothing is recorded
  record_writer *writer;
  record_frames frames;
  record_steps steps;
  int32_t *mover;              // frames.bodies: which bodies move
  int64_t every, span;
  int64_t frame_count;
  double quantum;              // positions are rounded to multiples of it; 0: not at all
  int exact, times;
  recorder_contacts contacts;
  record_bytes state;          // of SAVE
} recorder;

typedef struct run_totals {    // over all steps, those before a resume included
  int64_t steps, unsolved, first_unsolved;
  int64_t unprojected;         // islands whose overlaps stayed, in all steps together
  double residual, penetration, contacts, most_contacts, iterations;
  double energy_start, energy, kinetic, dissipated;
  int64_t gains;               // steps that ended with more energy than they were given
  double gained;               // by so much, together
  double last_contacts, last_iterations, last_residual;   // of the newest step
} run_totals;

// Frames per chunk: about 16 MB of them, at most 64.
int64_t recorder_span(int32_t moving, int64_t every);

// A new file with this header, or an old one from its first `chunks` chunks on. `shape` has
// every, span, quantum, exact, times and contacts. They say what is wrong.
int recorder_create(const char *path, const char *head, const recording_head *about,
                    const recorder *shape, recorder *out);
int recorder_append(const char *path, const record_index *index, int32_t chunks,
                    const recording_head *about, const recorder *shape, recorder *out);
void recorder_free(recorder *what);

// After a step (or before the first): its row, its frame where one is due, and chunks when they are
// full.
int recorder_step(recorder *what, const perp_world *world, const perp_step *step);
// What is left, and the end of the file.
int recorder_end(recorder *what, int complete, const char *reason, const run_totals *totals);

// A step as a row of STEP, and a row into the totals.
void recorder_row(const perp_step *step, double row[RECORD_COLUMNS]);
void totals_add(run_totals *totals, const double row[RECORD_COLUMNS]);
