// linear_solver.c: a linear solver of your own: tridiagonal systems by Thomas' algorithm, in O(n).
//
// A rope of N links on a floor, held at both ends, is pulled up in its left half and down in its
// right one:
//     x >= 0,   y = A x + b >= 0,   y_i = 0 where x_i > 0,   A = tridiag(-1, 2, -1).
// Two parabolas that meet smoothly, the second touching the floor, reach it at N/sqrt(2).
// principal_pivoting guesses which links are off the floor, the set I, and solves
//     A_II z_I = rhs_I
// with the linear solver that it is given. A_II is tridiagonal where A is: rows that are neighbours
// in I but not in A are not coupled.
#include <math.h>
#include <perp/method.h>
#include <stdio.h>

enum { N = 2000 };

typedef struct thomas {           // perp sets bytes() aside for it and calls it `self`
  int32_t n, ready;
  double *lower, *diagonal, *upper;   // n each: A_i,i-1, A_ii and A_i-1,i
  double *below, *pivot;          // n each: the factor; below[i] = A_i,i-1/pivot[i-1] inside I
  uint8_t *is_free;               // n: of the last update
} thomas;

static int updates;               // to show that it was used

// A linear solver says which matrices it can take: here any whose entries can be seen, if they are
// all on the diagonal or beside it.
static int accepts(const perp_operator *A) {
  perp_csc matrix;
  if (perp_copy_entries(A, 0, NULL, &matrix) != PERP_OK) return 0;
  int fits = 1;
  for (int32_t j = 0; j < matrix.columns; j++)
    for (int32_t p = matrix.colptr[j]; p < matrix.colptr[j + 1]; p++)
      fits &= matrix.row[p] >= j - 1 && matrix.row[p] <= j + 1;
  perp_entries_free(NULL, &matrix);
  return fits;
}

static size_t bytes(const perp_limits *limits) {
  return sizeof(thomas) + (size_t)limits->n*(5*sizeof(double) + 1);
}

// Reads the entries. 0: fine; anything else: the solver cannot be used.
static int analyse(void *memory, const perp_operator *A, const perp_options *options,
                   const perp_allocator *allocator) {
  (void)options;
  thomas *self = memory;
  double *room = (double *)(self + 1);
  const int32_t n = A->n;
  perp_csc matrix;
  if (perp_copy_entries(A, 0, allocator, &matrix) != PERP_OK) return 1;
  *self = (thomas){.n = n, .lower = room, .diagonal = room + n, .upper = room + 2*n,
                   .below = room + 3*n, .pivot = room + 4*n, .is_free = (uint8_t *)(room + 5*n)};
  for (int32_t k = 0; k < 3*n; k++) room[k] = 0;      // entries that are 0 are not stored
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = matrix.colptr[j]; p < matrix.colptr[j + 1]; p++) {
      if (matrix.row[p] == j - 1) self->upper[j] = matrix.value[p];
      if (matrix.row[p] == j) self->diagonal[j] = matrix.value[p];
      if (matrix.row[p] == j + 1) self->lower[j + 1] = matrix.value[p];
    }
  perp_entries_free(allocator, &matrix);
  return 0;
}

// Factors A_II. 0: fine; k > 0: singular at the k-th free row; -1: no time left.
static int update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  thomas *self = memory;
  int32_t count = 0;
  updates++;
  self->ready = 0;
  if (deadline != NULL && deadline->passed != NULL && deadline->passed(deadline->context))
    return -1;                            // a solver that takes long asks again on the way
  for (int32_t i = 0; i < self->n; i++) {
    self->is_free[i] = is_free[i];
    if (!is_free[i]) continue;
    self->below[i] = i > 0 && is_free[i - 1] ? self->lower[i]/self->pivot[i - 1] : 0;
    self->pivot[i] = self->diagonal[i] - self->below[i]*self->upper[i];
    count++;
    if (!(fabs(self->pivot[i]) > 1e-14)) return count;   // the entries are scaled to be near 1
  }
  self->ready = 1;
  return 0;
}

static int solve(void *memory, const double *rhs, double *z, const perp_deadline *deadline) {
  thomas *self = memory;
  (void)deadline;
  if (!self->ready) return 1;
  for (int32_t i = 0; i < self->n; i++) {
    const double before = i > 0 && self->is_free[i] ? self->below[i]*z[i - 1] : 0;
    z[i] = self->is_free[i] ? rhs[i] - before : 0;       // z_F = 0
  }
  for (int32_t i = self->n - 1; i >= 0; i--) {
    if (!self->is_free[i]) continue;
    const double after = i + 1 < self->n && self->is_free[i + 1] ? self->upper[i + 1]*z[i + 1] : 0;
    z[i] = (z[i] - after)/self->pivot[i];
  }
  return 0;
}

static double estimate(const void *memory, const uint8_t *is_free) {
  (void)is_free;
  return 2e-8*((const thomas *)memory)->n;   // seconds, roughly
}

static const perp_linear_ops linear_thomas = {
  .name = "thomas", .title = "tridiagonal elimination", .accepts = accepts, .bytes = bytes,
  .analyse = analyse, .update = update, .solve = solve, .estimate = estimate,
};

int main(void) {
  static int32_t colptr[N + 1], row[3*N];
  static double value[3*N], b[N], x[N];
  int32_t count = 0;
  for (int32_t j = 0; j < N; j++) {
    for (int32_t i = j > 0 ? j - 1 : j; i <= j + 1 && i < N; i++) {
      row[count] = i;
      value[count++] = i == j ? 2 : -1;
    }
    colptr[j + 1] = count;
    b[j] = j < N/2 ? -1 : 1;
  }
  const perp_csc matrix = {.rows = N, .columns = N, .colptr = colptr, .row = row, .value = value};
  const perp_problem problem = {.A = perp_from_csc(&matrix, PERP_CLAIM_SYMMETRIC), .b = b};
  const perp_method *method = perp_find_method("principal_pivoting");
  if (method == NULL || !(method->traits & PERP_TRAIT_LINEAR)) return 1;
  perp_options options = perp_default_options(method);
  options.linear = &linear_thomas;
  perp_result result;
  if (perp_solve_once(&problem, x, &options, &result) != PERP_OK)
    return fprintf(stderr, "%s\n", perp_last_message()), 1;
  int lifted = 0;
  for (int i = 0; i < N; i++) lifted += x[i] > 0;
  printf("%s with %s: %s\n", perp_status_name(result.status), linear_thomas.name,
         updates > 0 ? "it was used" : "it was not used");
  printf("%d of %d links are off the floor\n", lifted, N);
  return result.status != PERP_STATUS_SOLVED || updates == 0;
}

// expect: solved with thomas: it was used
// expect: 1414 of 2000 links are off the floor
