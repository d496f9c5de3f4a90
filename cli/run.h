// run.h: what the files of perp run share.
#pragma once

#include "command.h"
#include "progress.h"
#include "run_record.h"

enum { RUN_VALUES = 64 };

typedef struct run_session {
  const arguments *args;
  const scene *scene;
  double values[RUN_VALUES];   // of the scene's parameters
  uint64_t seed;
  scene_layout layout;
  perp_options options;        // of every step's solve
  perp_world *world;
  int64_t every, done;         // done: the step that the world is at
  recorder recorder;
  run_totals totals;
  progress live;
  const char *path;            // of the recording; NULL: there is none
  double seconds;              // since this run began
  int64_t begun;               // the step it began at
  json_t *arguments;           // those that the recording depends on
  const char *steps;           // --resume: so many from now on; NULL: as the recording says
  int made;                    // this run made the directory of --dump-problems
  char seed_text[24];
  char command[2048];          // the same as a command line
} run_session;

// run_head.c: from the scene to the header of a recording.
int run_arguments(run_session *s);   // fills arguments and command
const char *run_model(const run_session *s);   // its name
int run_head(const run_session *s, recording_head *head);   // free with recording_head_free()
char *run_head_text(const run_session *s, const recording_head *head);

// run_resume.c: cuts the recording back to its last state and loads it.
int run_resume(run_session *s, const recording_head *head, const recorder *shape);
// The arguments in the header of a recording, as a command line: free each and the array.
int run_resume_arguments(const char *path, int *count, char ***words);

// The recording with another header, up to its last state; `was` is the header that it must have.
int run_extend(const run_session *s, const char *was, const char *head);

typedef enum run_file { RUN_FREE, RUN_FINISHED, RUN_UNFINISHED, RUN_FOREIGN } run_file;
run_file run_existing(const char *path);   // what is there already; FREE: nothing, or a device

// run_dump.c: the problems of the last step as directories.
int run_dump(run_session *s, const char *folder);

// run_report.c
void run_report(const run_session *s, int complete);
void run_list(void);
