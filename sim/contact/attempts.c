// attempts.c: finds the impulses of one island by a table of attempts, one after the other.
//
// An attempt asks the same question as the one before it, or another one, such as the problem
// without restitution. An answer to the same question replaces the best answer if the certificate
// prefers it. An answer to another question always replaces it. If the answer at the end is not
// certified, its impulses are reduced until they add no energy (limit_energy.c).
#include <string.h>

#include "step.h"

static const struct { const char *name, *text; } texts[] = {
#define PERP_X(id, name, text) {name, text},
  PERP_ATTEMPT_LIST(PERP_X)
#undef PERP_X
};

const char *perp_attempt_name(perp_attempt attempt) {
  return attempt >= 0 && attempt < PERP_ATTEMPT_COUNT ? texts[attempt].name : "";
}

const char *perp_attempt_text(perp_attempt attempt) {
  return attempt >= 0 && attempt < PERP_ATTEMPT_COUNT ? texts[attempt].text : "";
}

// ---- what they try ----

// Newton's restitution, with speeds that are possible together (bounce.c).
static perp_error with_bounces(trial *t) {
  const perp_error error = bounce_limit(t->w, t->by, t->s, t->end);
  return error == PERP_OK ? model_solve(t) : error;
}

static perp_error without_bounces(trial *t) {
  bounce_none(t->w, t->s);
  return model_solve(t);
}

static perp_error from_zero(trial *t) {
  memset(t->a->x, 0, (size_t)t->s->rows*sizeof *t->a->x);
  return model_solve_once(t);
}

// ---- when they apply ----

static int is_driven(const trial *t) { return t->s->driven; }

static int has_no_answer(const trial *t) { return t->from < 0; }

static int has_failed(const trial *t) {
  return t->best.status != PERP_STATUS_SOLVED && left_until(t->w, t->end) > 0.0;
}

// If contacts are redundant, a guess can mislead the method, unless there is a proof that no
// solution exists. Rounds correct a guess by themselves.
static int is_misled(const trial *t) {
  return t->w->settings.model <= PERP_CONTACT_FRICTION &&
         t->best.status != PERP_STATUS_INFEASIBLE &&
         t->best.status != PERP_STATUS_NO_SMALL_SOLUTION && has_failed(t);
}

static int warm_is_misled(const trial *t) { return t->from == PERP_ATTEMPT_WARM && is_misled(t); }

static int inelastic_is_misled(const trial *t) {
  return t->from == PERP_ATTEMPT_INELASTIC && is_misled(t);
}

// Newton's restitution and friction may contradict each other.
static int contradicts(const trial *t) {
  return t->w->settings.model != PERP_CONTACT_STAGGERED && bounce_any(t->w, t->s) && has_failed(t);
}

// ---- the table ----

typedef enum question { OTHER, SAME } question;

static const struct attempt {
  perp_attempt id;
  int (*applies)(const trial *t);
  perp_error (*run)(trial *t);   // t->tried and x; sets t->answered = 0 if it has no answer
  question asked;                // SAME as by the attempt before it
} attempts[] = {   // costs: in problems of the island (p), and of its normals alone (n)
  //                           when                 what             asks   costs
  {PERP_ATTEMPT_JAM,            is_driven,           no_impulses_try, OTHER},   // n, up to 6 n
  {PERP_ATTEMPT_WARM,           has_no_answer,       with_bounces,    OTHER},   // p, 2 n for bounces
  {PERP_ATTEMPT_COLD,           warm_is_misled,      from_zero,       SAME},    // p
  {PERP_ATTEMPT_INELASTIC,      contradicts,         without_bounces, OTHER},   // p
  {PERP_ATTEMPT_INELASTIC_COLD, inelastic_is_misled, from_zero,       SAME},    // p
  {PERP_ATTEMPT_SWEEP,          sweep_applies,       sweep_try,       SAME}};   // a millisecond

static int is_better(const perp_result *a, const perp_result *b) {
  return a->status == PERP_STATUS_SOLVED || a->certificate.residual < b->certificate.residual;
}

static perp_error make(trial *t, const struct attempt *next) {
  const size_t bytes = (size_t)t->s->rows*sizeof(double);
  if (next->asked == SAME) {
    if (!buffer_grow(&t->by->allocator, &t->by->rest, bytes, 0)) return PERP_ERROR_MEMORY;
    memcpy(t->by->rest.at, t->a->x, bytes);
  }
  t->answered = 1;
  const perp_error error = next->run(t);
  if (error != PERP_OK || !t->answered) return error;
  if (next->asked == OTHER || is_better(&t->tried, &t->best)) {
    t->best = t->tried;
    t->from = (int)next->id;
  } else {
    memcpy(t->a->x, t->by->rest.at, bytes);
  }
  return PERP_OK;
}

static perp_error add_no_energy(trial *t) {
  const double factor = limit_energy(t->w, t->s, t->a->x);
  if (factor == 1.0) return PERP_OK;
  problem_scale(t->w, t->s, t->a->x, factor);
  model_set_bounds(t);
  return solve_judge(t->w, t->a, &t->best.certificate);
}

perp_error attempts_run(trial *t) {
  t->from = -1;
  for (size_t k = 0; k < sizeof attempts/sizeof *attempts; k++) {
    if (!attempts[k].applies(t)) continue;
    const perp_error error = make(t, &attempts[k]);
    if (error != PERP_OK) return error;
  }
  return t->best.status == PERP_STATUS_SOLVED ? PERP_OK : add_no_energy(t);
}
