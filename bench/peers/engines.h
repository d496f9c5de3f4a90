// engines.h: physics engines that run the same scene: perp, ODE and Bullet, and what their impulses
// are worth.
#ifndef PERP_BENCH_ENGINES_H
#define PERP_BENCH_ENGINES_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct engine_contact {   // a contact of a step, in the engine's own formulation
  int32_t a, b;                   // bodies of the scene
  double point[2][3];             // on a and on b, at the beginning of the step
  double normal[3];               // from b to a
  double target;                  // asked for is J u+ + softness l >= target: -gap/h, or what takes
  double softness;                //   a part of an overlap back
  double friction;                // mu; |l_t| <= mu l_n in each tangent
  int32_t tangents;               // 0, 1 or 2
  double tangent[2][3];
  double impulse[3];              // on a: along the normal, then the tangents
} engine_contact;

typedef struct engine_step {
  double seconds;                 // of the processor: all of the step
  double solving;                 // of them, what comes after the contacts are known
  int32_t contacts;
  int32_t certified;              // perp only: every problem of the step; others claim nothing
  int32_t complaint;              // 1: the engine itself says that it found no solution
} engine_step;

// A world is made of the bodies, material and settings of a layout whose inertias are known:
// engine_layout(). Nobody sleeps; everybody has one thread.
typedef struct engine {
  const char *name;
  void *(*create)(const scene_layout *layout);              // NULL: the library is absent
  void (*step)(void *world, engine_step *report);
  void (*read)(const void *world, perp_motion *motion);     // of all bodies
  // the contacts of the last step; perp has its own problem instead
  const engine_contact *(*contacts)(void *world, int32_t *count);
  void (*destroy)(void *world);
} engine;

// of dWorldQuickStep and Bullet, in worlds made from now on; 0: their defaults
extern int32_t engine_iterations;

extern const engine engine_perp, engine_ode_step, engine_ode_quick, engine_bullet;
extern const engine *const engine_list[];
enum { ENGINES = 4 };

double engine_clock(void);        // seconds that this process has computed: it has one thread

// A scene with settings "columns=40 rows=25"; ends the program if there is no such thing.
void engine_layout(const char *name, const char *settings, scene_layout *layout);
int engine_moves(const perp_body *body);
double engine_friction(const scene_layout *layout);         // of its one material

typedef struct engine_worth {
  double residual;                // of the certificate
  double approach;                // how much slower than asked for two bodies part, at worst: speed
  double unexplained;             // largest part of u+ that is neither u + h g nor W J'l: speed
} engine_worth;
// The impulses of a step as the x of 0 <= l _|_ J W J'l + softness l + b >= 0 (friction: in boxes
// at the engine's own normal impulses), judged by perp_certify. before, after: all motions.
void engine_judge(const scene_layout *layout, const engine_contact *contact, int32_t count,
                  const perp_motion *before, const perp_motion *after, engine_worth *worth);
// perp's: every problem of the last step, by perp_certify once more.
void engine_judge_perp(perp_world *world, engine_worth *worth);

#ifdef __cplusplus
}
#endif
#endif
