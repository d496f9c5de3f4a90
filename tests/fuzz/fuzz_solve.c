// libFuzzer entry: any bytes as a small problem, solved by any method.
//
// Numbers may be huge, tiny or not finite, bounds crossed, columns out of order: perp must refuse
// or solve, within its limits. Beyond what the sanitizers see: x stays finite and within its
// bounds, a refusal leaves it as it was, and what is called solved satisfies the certificate as
// recomputed here, in extended precision and with a scaling of our own (where the matrix leaves no
// doubt about its units).
#include <math.h>
#include <perp/method.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N = 6 };
#define REQUIRE(condition) do { if (!(condition)) abort(); } while (0)

// ---- bytes to numbers ----

typedef struct bytes { const uint8_t *at; size_t left; } bytes;

static unsigned byte(bytes *in) {
  if (in->left == 0) return 0;
  in->left--;
  return *in->at++;
}

static double number(bytes *in) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e-3, 1e3, 1e8, -1e8, 1e-8, 1e20,
                                   1e-20, 1e150, -1e150, 1e-150, 1e300, -1e308, 0x1p-1022,
                                   0x1p-1074, NAN, INFINITY, -INFINITY, 1e-300};
  const unsigned kind = byte(in);
  if (kind < 160) return (double)((int)kind - 80)/8.0;             // mostly harmless
  if (kind < 200) return special[byte(in)%(sizeof special/sizeof special[0])];
  if (kind < 230) return ldexp((double)(int8_t)byte(in), (int)byte(in) - 128);
  double v = 0.0;
  uint64_t bits = 0;
  for (int k = 0; k < 8; k++) bits = bits << 8 | byte(in);
  memcpy(&v, &bits, sizeof v);
  return v;
}

// ---- a second opinion ----

typedef struct example {
  int32_t n;
  double A[N][N], b[N], lo[N], hi[N];
} example;

static long double middle(long double a, long double b, long double c) {
  return b < a ? a : b > c ? c : b;
}

static void residuals(const example *e, const long double *x, const long double *R,
                      const long double *C, long double *r,
                      long double *size) {   // size_i = R_i (|A||x|)_i
  for (int32_t i = 0; i < e->n; i++) {
    long double y = e->b[i];
    size[i] = 0;
    for (int32_t j = 0; j < e->n; j++) {
      y += (long double)e->A[i][j]*x[j];
      size[i] += R[i]*fabsl(e->A[i][j]*x[j]);
    }
    r[i] = fabsl(middle((x[i] - e->hi[i])/C[i], R[i]*y, (x[i] - e->lo[i])/C[i]));
  }
}

static int moderate(double v) {
  return v == 0.0 || isinf(v) || (fabs(v) > 1e-120 && fabs(v) < 1e120);
}

// Where entries differ widely, or a diagonal one is zero, A leaves more than one choice of units:
// nothing to compare with. And where b or the bounds are extreme, scaled numbers underflow.
static int has_clear_units(const example *e) {
  double least = (double)INFINITY, most = 0.0;
  for (int32_t i = 0; i < e->n; i++) {
    if (e->A[i][i] == 0.0 || !moderate(e->b[i]) || !moderate(e->lo[i]) || !moderate(e->hi[i]))
      return 0;
    for (int32_t j = 0; j < e->n; j++) {
      most = fmax(most, fabs(e->A[i][j]));
      if (e->A[i][j] != 0.0) least = fmin(least, fabs(e->A[i][j]));
    }
  }
  return most <= 256*least;
}

// The certificate with the scaling left unrounded; 64 times its allowance,
// for the difference that makes.
static void check_claim(const example *e, const double *given, double tol) {
  long double R[N], C[N], x[N], r[N], size[N], s[N], G[N] = {0}, S[N] = {0};
  int32_t component[N], entries[N] = {0};
  const int32_t n = e->n;
  for (int32_t i = 0; i < n; i++) R[i] = C[i] = 1, component[i] = i;
  for (int sweep = 0; sweep < 24; sweep++) {
    long double row[N] = {0}, column[N] = {0};
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        const long double a = R[i]*fabsl((long double)e->A[i][j])*C[j];
        row[i] = fmaxl(row[i], a);
        column[j] = fmaxl(column[j], a);
      }
    for (int32_t i = 0; i < n; i++) {
      if (row[i] > 0) R[i] /= sqrtl(row[i]);
      if (column[i] > 0) C[i] /= sqrtl(column[i]);
    }
  }
  for (int pass = 0; pass < n; pass++)
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++)
        if (e->A[i][j] != 0.0) {
          const int32_t least = component[i] < component[j] ? component[i] : component[j];
          component[i] = component[j] = least;
          entries[i] = 1;
        }

  for (int32_t i = 0; i < n; i++)
    x[i] = 0.0 < e->lo[i] ? e->lo[i] : 0.0 > e->hi[i] ? e->hi[i] : 0.0;
  residuals(e, x, R, C, r, size);
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = component[i];
    G[k] = fmaxl(G[k], r[i]);
    s[i] = entries[i] ? R[i]*fabsl((long double)e->b[i]) + size[i] : 0;
    S[k] = fmaxl(S[k], s[i]);
  }
  for (int32_t i = 0; i < n; i++) x[i] = given[i];
  residuals(e, x, R, C, r, size);
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = component[i];
    const long double u = 0x1p-53L, base = G[k] > 0 ? G[k] : S[k];
    const long double allowed = entries[i] ? tol*base + 32*u*s[i] + fminl(32*u*size[i], 1e-3L*G[k])
                                           : 0;
    // what doubles this small cannot tell from 0
    const long double underflow = (1 + R[i])*0x1p-1074L;
    // perp's sums are the better ones
    const long double ours = (n + 1)*0x1p-63L*(size[i] + R[i]*fabsl((long double)e->b[i]));
    REQUIRE(r[i] <= 64*(allowed + underflow) + ours);
  }
}

// ---- one problem ----

// a clock that makes runs repeatable
static double ticks(void *context) { return *(double *)context += 1e-3; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes in = {data, size};
  example e = {.n = (int32_t)(byte(&in)%(N + 1))};
  const perp_method *method = perp_method_at((int32_t)byte(&in)%perp_method_count());
  const unsigned form = byte(&in), flags = byte(&in), damage = byte(&in);
  const int symmetric = form & 4, sparse = form & 1, general_bounds = form & 8;

  for (int32_t i = 0; i < e.n; i++)
    for (int32_t j = 0; j < e.n; j++) e.A[i][j] = symmetric && j < i ? e.A[j][i] : number(&in);
  for (int32_t i = 0; i < e.n; i++) {
    e.b[i] = number(&in);
    const double p = general_bounds ? number(&in) : 0.0,
                 q = general_bounds ? number(&in) : (double)INFINITY;
    const int swap = p > q && (damage & 1) == 0;
    e.lo[i] = swap ? q : p;
    e.hi[i] = swap ? p : q;
    if (form & 16 && byte(&in) & 1) e.lo[i] = -(double)INFINITY;
    if (form & 32 && byte(&in) & 1) e.hi[i] = (double)INFINITY;
  }

  double dense[N*N];
  int32_t colptr[N + 1] = {0}, row[N*N], entries = 0;
  double value[N*N];
  for (int32_t j = 0; j < e.n; j++) {
    for (int32_t i = 0; i < e.n; i++) {
      dense[form & 2 ? j*e.n + i : i*e.n + j] = e.A[i][j];
      if (e.A[i][j] == 0.0) continue;
      row[entries] = i;
      value[entries++] = e.A[i][j];
    }
    colptr[j + 1] = entries;
  }
  int damaged = 0;
  if (sparse && damage & 2 && entries > 0) {           // a row index that may be anything
    row[byte(&in)%(unsigned)entries] = (int8_t)byte(&in);
    damaged = 1;
  }
  if (sparse && damage & 4) {         // a column pointer that may be anything small enough to read
    const int32_t p = (int8_t)byte(&in);
    colptr[byte(&in)%(unsigned)(e.n + 1)] = p > N*N ? N*N : p;
    for (int32_t k = entries; k < N*N; k++) row[k] = 0, value[k] = 1.0;
    damaged = 1;
  }

  const perp_dense full = {.n = e.n, .value = dense, .by_column = form & 2};
  const perp_csc csc = {e.n, e.n, colptr, row, value};
  const perp_problem problem = {.A = sparse ? perp_from_csc(&csc, PERP_CLAIM_NONE)
                                            : perp_from_dense(&full, PERP_CLAIM_NONE),
                                .b = e.b, .lo = general_bounds || form & 16 ? e.lo : NULL,
                                .hi = general_bounds || form & 32 ? e.hi : NULL};
  if (problem.lo == NULL) for (int32_t i = 0; i < e.n; i++) e.lo[i] = 0.0;
  if (problem.hi == NULL) for (int32_t i = 0; i < e.n; i++) e.hi[i] = (double)INFINITY;

  double now = 0.0, x[N], guess[N];
  perp_options options = perp_default_options(method);
  options.clock = ticks;
  options.clock_context = &now;
  options.time_limit = 1.0;
  options.iteration_limit = 100;
  options.presolve = flags & 1;
  options.split = flags >> 1 & 1;
  options.scale = flags >> 2 & 1;
  options.sweep.order = flags & 8 ? PERP_ORDER_COLOURED : PERP_ORDER_NATURAL;
  options.stop.measure = (int32_t)(flags >> 5);
  options.stop.tol = flags & 16 ? 1e-6 : 0.0;
  for (int32_t i = 0; i < e.n; i++) guess[i] = x[i] = form & 64 ? number(&in) : 0.0;

  perp_result result;
  const perp_error error = perp_solve_once(&problem, x, &options, &result);
  if (error != PERP_OK) {
    REQUIRE(perp_last_message()[0] != '\0');
    REQUIRE(e.n == 0 || memcmp(x, guess, (size_t)e.n*sizeof *x) == 0);
    return 0;
  }
  for (int32_t i = 0; i < e.n; i++) REQUIRE(isfinite(x[i]) && x[i] >= e.lo[i] && x[i] <= e.hi[i]);
  REQUIRE(result.message[0] != '\0' && memchr(result.message, '\0', sizeof result.message) != NULL);
  if (damaged) {                                       // still a matrix, but another one
    memset(e.A, 0, sizeof e.A);
    for (int32_t j = 0; j < e.n; j++)
      for (int32_t p = colptr[j]; p < colptr[j + 1]; p++) e.A[row[p]][j] = value[p];
  }
  if (result.status == PERP_STATUS_SOLVED && has_clear_units(&e)) check_claim(&e, x, options.tol);
  return 0;
}
