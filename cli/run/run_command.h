// run_command.h: what the files of perp run share.
//
// A session is a scene, its simulation and its recording. What differs between bodies and liquids
// is behind run_kind: run_bodies.c and run_liquid.c have one each.
#pragma once

#include <scene.h>

#include "command.h"
#include "progress.h"
#include "run_record.h"

enum { RUN_VALUES_MAX = 64 };   // parameters of a scene

typedef struct run_kind run_kind;

typedef struct run_totals {    // over all steps, those before a resume included
  int64_t steps, unsolved, first_unsolved;
  double residual, iterations;
  double energy_start, energy, kinetic;
  double last_iterations, last_residual;   // of the newest step
  // bodies
  int64_t unprojected;         // islands whose overlaps stayed, in all steps together
  double penetration, contacts, most_contacts, last_contacts, dissipated;
  int64_t gains;               // steps that ended with more energy than they were given
  double gained;               // the energy gained in all these steps
  int64_t late;                // steps of this run that were longer than --time-limit
  double overrun;              // seconds, of the one that was longest
  // a liquid
  double inner, substeps, most_substeps, last_particles, particles;
  double separating, volume, poured, least_volume, most_volume, courant;
} run_totals;

typedef struct run_session {
  const arguments *args;
  const scene *scene;
  const run_kind *kind;
  double values[RUN_VALUES_MAX];   // of the scene's parameters
  uint64_t seed;
  perp_options options;        // of every step's solve
  scene_layout layout;         // bodies
  perp_world *world;
  scene_pool pool;             // a liquid
  perp_fluid *fluid;
  double stage_seconds[PERP_FLUID_STAGES];   // of its steps in this run
  double dt;
  int64_t planned;             // steps
  int64_t every, done;         // done: the step that the simulation is at
  recorder recorder;
  run_totals totals;
  progress live;
  const char *path;            // of the recording; NULL: there is none
  double started, seconds;     // progress_now() when this run began, and how long it took
  double step_started;         // progress_now() when the step at hand began
  int64_t begun;               // the step it began at
  json_t *arguments;           // those that the recording depends on
  const char *steps;           // of --resume --steps; NULL: as the recording says
  int made;                    // this run made the directory of --dump-problems
  char seed_text[24];
  char command[2048];          // the same as a command line
} run_session;

// Functions that can fail return an exit code after having said what is wrong.
struct run_kind {
  const char *noun;            // what its scenes are of: "bodies"
  const char *advice;          // on steps that were not solved; NULL: none
  size_t share;                // a state is recorded when the file grew by this many times its size
  int32_t unsolved, residual, kinetic, potential;   // columns of STEP; the step is the first
  int (*build)(run_session *s);                // the scene from its values
  int (*settle)(run_session *s);               // options of its own
  int (*create)(run_session *s);               // what steps; after settle
  size_t (*state_most)(const run_session *s);   // bytes that a state of this scene can have
  int (*load)(run_session *s, const void *state, size_t size);   // 0, or perp_last_message() says why
  void (*destroy)(run_session *s);
  int (*head)(const run_session *s, recording_head *head);   // what is not common to both
  int (*film)(const run_session *s, const recording_head *head, film *out);
  int (*step)(run_session *s, int first, recorder_row *row);   // first: only reports
  void (*count)(run_totals *totals, const double *row);
  int (*dump)(run_session *s, const char *folder);
  void (*progress)(const run_session *s, progress_state *at);
  void (*report)(const run_session *s);        // lines in the middle of the report
  void (*report_json)(const run_session *s, json_t *object);
};
extern const run_kind run_bodies, run_liquid;

void run_count(run_session *s, const double *row);   // into the totals

// run_head.c: from the scene to the header of a recording.
int run_arguments(run_session *s);   // fills arguments and command
int run_head(const run_session *s, recording_head *head);   // free with recording_head_free()
char *run_head_text(const run_session *s, const recording_head *head);

// run_resume.c: loads the newest state, and cuts the recording back to the spans before it.
int run_resume(run_session *s, const recording_head *head, const recorder *shape);
// Whether its header is that of the scene: before a world is made, which may take a lot of memory.
int run_resume_check(const run_session *s);
// The arguments in the header of a recording, as a command line: free each and the array.
int run_resume_arguments(const char *path, int *count, char ***words);

// The recording with another header, up to its last state; `was` is the header that it must have.
int run_extend(const run_session *s, const char *was, const char *head, const recorder *shape);

typedef enum run_file { RUN_FREE, RUN_FINISHED, RUN_UNFINISHED, RUN_FOREIGN } run_file;
run_file run_existing(const char *path);   // what is there already; FREE: nothing, or a device

// run_watch.c: a signal in the middle of a step. run_watch() starts a thread that waits for one;
// run_watch_step() and run_watch_stepped() stand around a step. If a signal comes in between, the thread
// calls `end` at once and ends the program with what that returns; run_watch_stepped() then never
// returns. Outside of steps the caller looks at interrupt_seen() by itself. About every second the
// thread calls `during`, if a step goes on then.
#define RUN_WATCH_SECONDS 1.0   // from one call of `during` to the next
typedef struct run_watcher {
  int (*end)(void *context);
  void (*during)(void *context);   // NULL: nothing is to be done
  void *context;
} run_watcher;
void run_watch(const run_watcher *what);
void run_watch_step(void);
void run_watch_stepped(void);

// run_dump.c: problems of the last step as directories.
int run_dump_check(const char *folder);   // that nothing of another run is in it
int run_dump_folder(run_session *s, const char *folder);   // makes it
int run_dump_bodies(run_session *s, const char *folder);
int run_dump_liquid(run_session *s, const char *folder);

// run_report.c
void run_report(const run_session *s, int complete);
void run_list(void);
