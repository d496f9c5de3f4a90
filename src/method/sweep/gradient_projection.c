// gradient_projection.c: gradient projection with preconditioned CG on faces, for symmetric A.
//
//   x <- clamp(x - alpha y), a few times;  I = {i : lo_i < x_i < hi_i};
//   A_II w ~ -y_I by CG with incomplete Cholesky;  x <- clamp(x + alpha w), while rows leave I
//
// It minimises phi(x) = x'A x/2 + b'x over the box. Gradient steps change many bounds at once. They
// end when they change no bound or gain little. CG ends when an iteration gains little compared
// with the best one. Once every row at a bound belongs there, x is on the face of the solution, and
// CG continues to full accuracy. Both kinds of step follow the projected path: alpha is halved until
//     phi(x+) - phi(x) <= mu y'(x+ - x),
// so phi falls in every iteration.
// More, Toraldo: On the solution of large quadratic programming problems with bound constraints
// (1991); repeated faces and the preconditioner on A_II: Lin, More: Newton's method for large
// bound-constrained optimization problems (1999), the comparator of MNS08 Table 4. Converges for
// symmetric PD A (More, Toraldo). Cost per iteration: a few products, a preconditioner per face,
// and a product and an application of the preconditioner per CG iteration.
#include <float.h>
#include <string.h>

#include "allocator.h"
#include "assemble.h"
#include "dense_kernels.h"
#include "objective.h"
#include "operator.h"
#include "preconditioner.h"
#include "vector.h"

// mu: part of the predicted decrease that a step must reach. With 1e-7, a wall takes 1.2 times the
// work; with 1, 44 problems stay unsolved.
#define DECREASE_RATIO_MIN 0.1
// Gradient steps end when one gains less than this part of the best gain. With 1, up to 1.5 times
// the work; with 0.1, a problem with a singular matrix stays unsolved.
#define GRADIENT_GAIN_RATIO_MIN 0.25
// CG ends when an iteration gains less than this part of the best gain. The limit is multiplied by
// the same factor each time that the face stays; without this, CG takes up to 1.3 times the work.
#define CG_GAIN_RATIO_MIN 0.1
// Limit for three counts: gradient steps per iteration, faces per iteration, and iterations in
// which neither phi nor the residual falls. With 1, or without a limit, walls take 2.9 times the
// work or stay unsolved.
#define ROUNDS_MAX 10

typedef struct projection {
  int32_t n, m;              // rows; free rows
  double *y;                 // n: A x + b
  double *d, *Ad;            // n: a direction, and A times the step that it became
  double *next;              // n: x + step
  double *w, *r, *u, *p, *q; // m of n: CG
  int32_t *set, *place;      // m of n: the free rows; n: position among them, or -1
  perp_csc all;              // A, if the preconditioner needs its entries
  int known;                 // 1: `all` is set
  int32_t *colptr;           // n + 1: A_II
  int32_t *row;              // entries of A
  double *value;
  double *diagonal;          // n; has_diagonal
  int has_diagonal, fresh;   // fresh: 1: the preconditioner belongs to I
  preconditioner *P;
  perp_preconditioner kind;
  perp_allocator memory;
} projection;

static void layout(projection *s, arena *memory, int32_t n) {
  double **const vectors[] = {&s->y, &s->d, &s->Ad, &s->next, &s->w, &s->r, &s->u, &s->p, &s->q,
                              &s->diagonal};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  s->set = ARENA_ARRAY(memory, int32_t, n);
  s->place = ARENA_ARRAY(memory, int32_t, n);
  s->colptr = ARENA_ARRAY(memory, int32_t, (size_t)n + 1);
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  projection s;
  layout(&s, &count, limits->n);
  return count.used;
}

// ---- steps along the projected path ----

typedef enum outcome { STEPPED, STAYED, ENDED } outcome;

// x <- clamp(x + alpha d), with alpha halved until phi falls enough; y follows. *full: d was taken
// unchanged. *gain: the decrease of phi. STAYED: phi does not fall along d beyond rounding.
static outcome search(projection *s, perp_run *run, double alpha, double *gain, int *full) {
  const int32_t n = s->n;
  double *x = run->x;
  *full = 1;
  for (const double least = DBL_EPSILON*alpha; alpha >= least; alpha *= 0.5) {
    double predicted = 0.0, curvature = 0.0;
    for (int32_t i = 0; i < n; i++) {
      const double to = x[i] + alpha*s->d[i];
      const double inside = clamp(to, lower(run->lo, i), upper(run->hi, i));
      if (inside != to) *full = 0;
      s->next[i] = inside - x[i];
      predicted += s->y[i]*s->next[i];
    }
    if (!(predicted < 0.0)) return STAYED;
    if (run_product(run, s->next, s->Ad) != 0) return ENDED;
    for (int32_t i = 0; i < n; i++) curvature += s->next[i]*s->Ad[i];
    const double change = predicted + 0.5*curvature;
    if (change <= DECREASE_RATIO_MIN*predicted) {
      *gain = -change;
      for (int32_t i = 0; i < n; i++) {
        x[i] = clamp(x[i] + s->next[i], lower(run->lo, i), upper(run->hi, i));
        s->y[i] += s->Ad[i];
      }
      return STEPPED;
    }
    *full = 0;
    if (run_out_of_time(run)) return ENDED;
  }
  return STAYED;
}

static int held(const perp_run *run, int32_t i, double y) {   // x_i is at a bound that y points to
  const double lo = lower(run->lo, i), hi = upper(run->hi, i), x = run->x[i];
  return (x == lo && (y >= 0.0 || lo == hi)) || (x == hi && y <= 0.0);
}

// The step along d to the last bound that d meets. If d'A d <= 0, phi falls all the way.
static double farthest(const projection *s, const perp_run *run) {
  double far = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    if (s->d[i] == 0.0) continue;
    const double bound = s->d[i] < 0.0 ? lower(run->lo, i) : upper(run->hi, i);
    far = max2(far, (bound - run->x[i])/s->d[i]);
  }
  return far;
}

// The step along d to the least phi on the ray, or without curvature to the last bound. 0: the run
// has ended.
static double first_step(projection *s, perp_run *run) {
  double slope = 0.0, curvature = 0.0;
  if (run_product(run, s->d, s->Ad) != 0) return 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    slope -= s->y[i]*s->d[i];
    curvature += s->d[i]*s->Ad[i];
  }
  if (slope > 0.0 && curvature > 0x1p-52*slope) return slope/curvature;
  const double far = farthest(s, run);
  if (far < (double)INFINITY) return far > 0.0 ? far : 1.0;
  if (!run_infeasible(run, s->d))
    run_stop(run, PERP_STATUS_RAY,
             "gradient_projection found a direction along which the objective falls without limit");
  return 0.0;
}

static outcome gradient_steps(projection *s, perp_run *run, double *total) {
  double best = 0.0;
  *total = 0.0;
  for (int k = 0; k < ROUNDS_MAX; k++) {
    int32_t changed = 0;
    double gain, largest = 0.0;
    int full;
    for (int32_t i = 0; i < s->n; i++) {
      s->d[i] = held(run, i, s->y[i]) ? 0.0 : -s->y[i];
      s->place[i] = run->x[i] > lower(run->lo, i) && run->x[i] < upper(run->hi, i);
      largest = max2(largest, fabs(s->d[i]));
    }
    if (largest == 0.0) return STAYED;
    const double alpha = first_step(s, run);
    if (alpha == 0.0) return ENDED;
    const outcome end = search(s, run, alpha, &gain, &full);
    if (end != STEPPED) return end == ENDED || k == 0 ? end : STEPPED;
    *total += gain;
    for (int32_t i = 0; i < s->n; i++)
      changed += s->place[i] != (run->x[i] > lower(run->lo, i) && run->x[i] < upper(run->hi, i));
    if (changed == 0 || gain <= GRADIENT_GAIN_RATIO_MIN*best || run_out_of_time(run)) break;
    best = max2(best, gain);
  }
  return STEPPED;
}

// ---- the face ----

// Sets I at x, and A_II if entries are known. 1: I has changed.
static int take_face(projection *s, const perp_run *run) {
  int32_t m = 0, q = 0;
  int changed = 0;
  for (int32_t i = 0; i < s->n; i++) {
    if (!(run->x[i] > lower(run->lo, i) && run->x[i] < upper(run->hi, i))) continue;
    changed |= m >= s->m || s->set[m] != i;
    s->set[m++] = i;
  }
  changed |= m != s->m;
  s->m = m;
  for (int32_t i = 0; i < s->n; i++) s->place[i] = -1;   // gradient steps share this array
  for (int32_t k = 0; k < m; k++) s->place[s->set[k]] = k;
  if (!changed) return 0;
  s->fresh = 0;
  for (int32_t k = 0; s->known && k < m; k++) {
    const int32_t j = s->set[k];
    s->colptr[k] = q;
    for (int32_t p = s->all.colptr[j]; p < s->all.colptr[j + 1]; p++) {
      const int32_t i = s->place[s->all.row[p]];
      if (i < 0) continue;
      s->row[q] = i;
      s->value[q++] = s->all.value[p];
    }
  }
  s->colptr[m] = q;
  return 1;
}

// 0: success; otherwise time is up, or the run has ended for lack of memory.
static int build_preconditioner(projection *s, perp_run *run) {
  if (s->fresh) return 0;
  const perp_csc II = {s->m, s->m, s->colptr, s->row, s->value};
  const perp_deadline deadline = run_deadline(run);
  for (int32_t k = 0; k < s->m; k++) s->u[k] = s->has_diagonal ? s->diagonal[s->set[k]] : 1.0;
  run->factorizations++;
  const int code = preconditioner_build(s->P, s->kind, s->m, s->known ? &II : NULL,
                                        s->has_diagonal ? s->u : NULL, 1,
                                        run->options->krylov.drop, &deadline);
  if (code == -2) run_no_memory(run, "the preconditioner");
  s->fresh = code == 0;
  return code;
}

static int face_product(projection *s, perp_run *run, const double *in, double *out) {   // A_II
  if (s->known) {
    for (int32_t k = 0; k < s->m; k++) {   // columns are rows
      double sum = 0.0;
      for (int32_t p = s->colptr[k]; p < s->colptr[k + 1]; p++)
        sum += s->value[p]*in[s->row[p]];
      out[k] = sum;
    }
    return 0;
  }
  memset(s->next, 0, (size_t)s->n*sizeof *s->next);
  for (int32_t k = 0; k < s->m; k++) s->next[s->set[k]] = in[k];
  if (run_product(run, s->next, s->Ad) != 0) return 1;
  for (int32_t k = 0; k < s->m; k++) out[k] = s->Ad[s->set[k]];
  return 0;
}

// d_I = w ~ -A_II^-1 y_I by CG, until an iteration gains less than gain_ratio_min times the best one.
// 0: success.
static int face_direction(projection *s, perp_run *run, double gain_ratio_min) {
  const int32_t m = s->m;
  double *w = s->w, *r = s->r, *u = s->u, *p = s->p, *q = s->q;   // m each
  if (build_preconditioner(s, run) != 0) return 1;
  memset(s->d, 0, (size_t)s->n*sizeof *s->d);
  for (int32_t k = 0; k < m; k++) {
    w[k] = 0.0;
    r[k] = -s->y[s->set[k]];
  }
  preconditioner_apply(s->P, r, u);
  for (int32_t k = 0; k < m; k++) p[k] = u[k];
  double rho = dot(m, r, u), best = 0.0;
  for (int32_t j = 0; j < run->options->krylov.iterations && rho > 0.0; j++) {
    if (face_product(s, run, p, q) != 0) return 1;
    const double curvature = dot(m, p, q), alpha = rho/curvature;
    run->inner_iterations++;
    if (!(curvature > 0.0) || !(alpha < 1e150)) {   // not definite: follow p downhill
      for (int32_t k = 0; k < m && j == 0; k++) w[k] = p[k];
      break;
    }
    for (int32_t k = 0; k < m; k++) w[k] += alpha*p[k];
    for (int32_t k = 0; k < m; k++) r[k] -= alpha*q[k];
    const double gain = 0.5*alpha*rho;   // the decrease of phi
    if (gain <= gain_ratio_min*best) break;
    best = max2(best, gain);
    if (j%2 == 1 && run_out_of_time(run)) break;
    preconditioner_apply(s->P, r, u);
    const double next = dot(m, r, u), beta = next/rho;
    rho = next;
    for (int32_t k = 0; k < m; k++) p[k] = u[k] + beta*p[k];
  }
  for (int32_t k = 0; k < m; k++) s->d[s->set[k]] = w[k] - w[k] == 0.0 ? w[k] : 0.0;
  return 0;
}

// ---- the iteration ----

static int wrong_bounds(const projection *s, const perp_run *run) {   // rows that should leave one
  for (int32_t i = 0; i < s->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i), x = run->x[i];
    if ((x == lo || x == hi) && !held(run, i, s->y[i])) return 1;
  }
  return 0;
}

static outcome faces(projection *s, perp_run *run, double *gain_ratio_min, double *total) {
  *total = 0.0;
  for (int k = 0; k < ROUNDS_MAX; k++) {
    const int changed = take_face(s, run);
    int full = 1;
    double gain;
    if (s->m == 0) return STAYED;
    const double next = changed || wrong_bounds(s, run) ? 1.0 : *gain_ratio_min;
    *gain_ratio_min = max2(CG_GAIN_RATIO_MIN*next, 1e-30);
    if (face_direction(s, run, *gain_ratio_min) != 0) return ENDED;
    const outcome end = search(s, run, 1.0, &gain, &full);
    if (end != STEPPED) return end;
    *total += gain;
    if (full || run_out_of_time(run)) break;
  }
  return STEPPED;
}

static void iterate(projection *s, perp_run *run) {
  double best = (double)INFINITY, gain_ratio_min = CG_GAIN_RATIO_MIN;
  int32_t idle = 0;
  for (int32_t i = 0; i < s->n; i++)
    run->x[i] = clamp(run->x[i], lower(run->lo, i), upper(run->hi, i));
  if (run_apply(run, run->x, s->y) != 0) return;
  while (run_continue(run)) {
    double first = 0.0, second = 0.0;
    // If the bounds of a face are right, gradient steps are skipped.
    if ((gain_ratio_min == CG_GAIN_RATIO_MIN || wrong_bounds(s, run)) &&
        gradient_steps(s, run, &first) == ENDED && run_ended(run))
      return;
    if (!run_out_of_time(run) && faces(s, run, &gain_ratio_min, &second) == ENDED && run_ended(run))
      return;
    if (run_apply(run, run->x, s->y) != 0) return;
    run->residual = run_residual(run, run->x, s->y);
    idle = run->residual < best || first + second > 0.0 ? 0 : idle + 1;
    if (first + second == 0.0) gain_ratio_min = CG_GAIN_RATIO_MIN;
    best = min2(best, run->residual);
    if (idle < ROUNDS_MAX || run->residual <= run->options->tol || run_check(run)) continue;
    run_stop(run, PERP_STATUS_STALLED,
             "gradient_projection no longer lowers the objective");
  }
}

// auto: incomplete Cholesky, modified for a Z-matrix, as on grids.
static perp_preconditioner choose_kind(const projection *s, const perp_run *run) {
  const perp_preconditioner asked = (perp_preconditioner)run->options->krylov.preconditioner;
  if (asked != PERP_PRECONDITIONER_AUTO) return asked;
  for (int32_t j = 0; s->known && j < s->n; j++)
    for (int32_t p = s->all.colptr[j]; p < s->all.colptr[j + 1]; p++)
      if (s->all.row[p] != j && s->all.value[p] > 0.0) return asked;
  return PERP_PRECONDITIONER_MIC;
}

// Reads the entries of A if the preconditioner needs them and they are known. 0: the run has ended.
static int take_entries(projection *s, perp_run *run) {
  const int asked = run->options->krylov.preconditioner;
  if (asked == PERP_PRECONDITIONER_IDENTITY || asked == PERP_PRECONDITIONER_JACOBI) return 1;
  if (!run_may_fit(run, RUN_ANALYSIS)) return 1;   // no time for a copy of A
  const int code = assemble_csc(&run->A, 1, &s->memory, &s->all);
  if (code == 1) return 1;
  if (code == 0) {
    s->known = 1;
    const size_t entries = (size_t)s->all.colptr[s->n];
    s->row = run_allocate(run, (entries + 1)*sizeof *s->row);
    s->value = run_allocate(run, (entries + 1)*sizeof *s->value);
    return s->row != NULL && s->value != NULL;
  }
  run_no_memory(run, "the entries of A");
  return 0;
}

static void run_gradient_projection(perp_run *run) {
  projection s = {.n = run->n, .memory = *run_allocator(run), .m = -1};
  layout(&s, run->memory, run->n);
  s.has_diagonal = run->A.ops->diagonal != NULL;
  if (s.has_diagonal) run->A.ops->diagonal(run->A.self, s.diagonal);
  s.P = preconditioner_create(&s.memory);
  if (s.P == NULL) run_no_memory(run, "the preconditioner");
  else if (take_entries(&s, run)) {
    s.kind = choose_kind(&s, run);
    iterate(&s, run);
  }
  preconditioner_destroy(s.P);
  if (s.known) assembled_free(&s.memory, &s.all);
}

static const perp_parameter parameters[] = {
  {"krylov.preconditioner", PERP_KIND_CHOICE, offsetof(perp_options, krylov.preconditioner), 0, 0,
   8, 0, 0, "auto|identity|jacobi|ic|mic|ainv_plain|ainv_scaled|ainv_static|ilu",
   "preconditioner of CG on a face; auto: incomplete Cholesky, modified if no entry off the "
   "diagonal is positive"},
  {"krylov.iterations", PERP_KIND_INTEGER, offsetof(perp_options, krylov.iterations), 1000, 1,
   INT32_MAX, 0, 0, NULL, "CG iterations on a face, at most"},
  {"krylov.drop", PERP_KIND_REAL, offsetof(perp_options, krylov.drop), 0.1, 0, 1, 0, 1, NULL,
   "entries of approximate inverses below this are left out"},
};

const perp_method method_gradient_projection = {
  .name = "gradient_projection", .tier = PERP_TIER_REFERENCE,
  .title = "gradient projection with preconditioned CG on faces",
  .source = "More, Toraldo 1991; Lin, More 1999; MNS08 4",
  .formula = "x <- clamp(x - alpha y), then x <- clamp(x + alpha w) with A_II w ~ -y_I by CG",
  .converges = "A symmetric positive definite",
  .cost = "a few products, an incomplete factor of A_II, and a product a CG iteration",
  .advice = "It is for grids and other well-preconditioned problems. Where contacts are redundant or "
            "ill-conditioned use active_set or auto.",
  .needs = PERP_NEEDS_SYMMETRIC,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_SCALES,
  .parameters = parameters,
  .parameter_count = sizeof parameters/sizeof parameters[0],
  .bytes = bytes,
  .run = run_gradient_projection,
};
