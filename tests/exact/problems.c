// problems.c: see problems.h.
#include <perp/matrix.h>

#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t state;

static uint64_t draw(void) {   // splitmix64
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30))*0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27))*0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
static int whole(int low, int high) {
  return low + (int)(draw()%(uint64_t)(high - low + 1));
}
static int chance(int percent) { return whole(0, 99) < percent; }

const char *problem_class_name(problem_class kind) {
  static const char *const names[] = {
#define X_NAME(id, name, text, wide) name,
      PROBLEM_CLASS_LIST(X_NAME)
#undef X_NAME
  };
  return names[kind];
}

int problem_class_is_wide(problem_class kind) {
  static const int is_wide[] = {
#define X_WIDE(id, name, text, wide) wide,
      PROBLEM_CLASS_LIST(X_WIDE)
#undef X_WIDE
  };
  return is_wide[kind];
}

// ---- matrices ----

static void add_gram(exact_problem *p, int columns, int size) {   // += B B'
  int B[EXACT_ROWS][EXACT_ROWS];
  const int sparse = chance(50);
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < columns; k++) B[i][k] = sparse && chance(50) ? 0 : whole(-size, size);
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->n; j++)
      for (int k = 0; k < columns; k++) p->A[i][j] += B[i][k]*B[j][k];
}

static void add_skew(exact_problem *p, int size) {
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < i; j++) {
      const int v = chance(50) ? whole(-size, size) : 0;
      p->A[i][j] += v;
      p->A[j][i] -= v;
    }
}

static void any(exact_problem *p, int size, int fill) {
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->n; j++) p->A[i][j] = chance(fill) ? whole(-size, size) : 0;
}

static void make_P(exact_problem *p) {
  const int n = p->n;
  switch (whole(0, 4)) {
    case 0:                                          // symmetric or not, positive definite
      add_gram(p, whole(1, n), 2);
      for (int i = 0; i < n; i++) p->A[i][i] += whole(1, 2);
      if (chance(50)) add_skew(p, 4);
      return;
    case 1:                                          // dominant, of any sign
      any(p, 3, 60);
      for (int i = 0; i < n; i++) {
        int64_t sum = 1;
        for (int j = 0; j < n; j++) sum += i == j ? 0 : p->A[i][j] < 0 ? -p->A[i][j] : p->A[i][j];
        p->A[i][i] = sum;
      }
      return;
    case 2:                                          // triangular: Murty's kind
      any(p, 4, 80);
      for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) p->A[i][j] = i == j ? whole(1, 3) : 0;
      return;
    case 3:                                          // Newton-min cycles on this one
      for (int i = 0; i < n; i++) {
        p->A[i][i] = 1;
        p->A[i][(i + n - 1)%n] += n%2 == 1 && n > 1 ? 2 : 0;   // det = 1 + 2^n for odd n
      }
      return;
    default:                                         // by rejection
      for (int tries = 0; tries < 60; tries++) {
        any(p, 3, 70);
        for (int i = 0; i < n; i++) p->A[i][i] = whole(1, 4);
        if (exact_is_P(p) == EXACT_YES) return;
      }
      memset(p->A, 0, sizeof p->A);
      for (int i = 0; i < n; i++) p->A[i][i] = 1;
  }
}

static void make_PSD(exact_problem *p) {
  add_gram(p, whole(chance(20) ? 0 : 1, p->n > 1 ? p->n - 1 : 1), 2);
  if (chance(50)) add_skew(p, 3);
}

static void make_singular(exact_problem *p) {
  const int n = p->n, from = whole(0, n - 1), to = whole(0, n - 1), factor = whole(-2, 2);
  if (chance(40)) add_gram(p, whole(1, n), 2);
  else any(p, 3, 70);
  if (chance(70))
    for (int j = 0; j < n; j++) p->A[to][j] = factor*p->A[from][j];
  if (chance(50))
    for (int i = 0; i < n; i++) p->A[i][to] = whole(0, 1) ? p->A[i][from] : 0;
}

static void make_strict(exact_problem *p) {          // nonnegative, and the diagonal is positive
  if (chance(50)) add_gram(p, whole(1, p->n), 1);
  if (chance(30)) add_skew(p, 3);
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->n; j++)
      p->A[i][j] += i == j ? whole(1, 3) : chance(60) ? whole(0, 4) : 0;
}

// E13 (27): contacts with two directions each, rows normal, two tangential, slack.
static void make_friction(exact_problem *p) {
  const int contacts = p->n/4;
  int J[EXACT_ROWS][4];                              // normal and tangential rows by bodies
  for (int i = 0; i < 2*contacts; i++)
    for (int k = 0; k < 4; k++) J[i][k] = chance(60) ? whole(-2, 2) : 0;
  for (int a = 0; a < contacts; a++)
    for (int c = 0; c < contacts; c++)
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
          int64_t dot = 0;
          for (int k = 0; k < 4; k++)
            dot += J[2*a + (r > 0)][k]*J[2*c + (s > 0)][k];
          p->A[4*a + r][4*c + s] = (r == 2) != (s == 2) ? -dot : dot;
        }
  for (int a = 0; a < contacts; a++) {
    p->A[4*a + 3][4*a] = whole(0, 2);                // mu
    for (int r = 1; r < 3; r++) {
      p->A[4*a + 3][4*a + r] = -1;
      p->A[4*a + r][4*a + 3] = 1;
    }
  }
}

static void make_copositive(exact_problem *p) {
  const int kind = whole(0, 3), n = p->n;
  if (kind == 0 && n >= 4) {
    p->n = n/4*4;
    make_friction(p);
    return;
  }
  if (kind == 1 && n >= 5) {                         // Horn's matrix
    p->n = 5;
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++) {
        const int d = (i - j + 5)%5;
        p->A[i][j] = d == 1 || d == 4 ? -1 : 1;
      }
    return;
  }
  if (chance(70)) add_gram(p, whole(1, n), 2);
  if (chance(40)) add_skew(p, 3);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (chance(40)) p->A[i][j] += whole(0, 3);
}

// A row sees its own block and those before it, so that the blocks form a chain.
static void make_chain(exact_problem *p) {
  const int size = whole(1, 3), fill = whole(40, 90);
  int block = 0;
  for (int i = 0; i < p->n; i++) {
    if (i == 0 || chance(50)) block = i;
    for (int j = 0; j < p->n; j++)
      p->A[i][j] = j < i + 2 - (i > block) && chance(fill) ? whole(-size, size) : 0;
  }
}

// Entries of 10^5 +- 1 and -1, 0, 1; in every second one the last row is nearly minus the sum of the
// others. Minors of four such rows would need more than 64 bits, so that n = 4 has 10^4 +- 1.
static void make_near(exact_problem *p) {
  const int n = p->n = whole(2, 4);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const int64_t size = chance(25) ? 0 : n < 4 ? 100000 : 10000;
      p->A[i][j] = (chance(50) ? 1 : -1)*(size + whole(-1, 1));
    }
  if (chance(50)) return;
  for (int j = 0; j < n; j++) {
    p->A[n - 1][j] = whole(-1, 1);
    for (int i = 0; i + 1 < n; i++) p->A[n - 1][j] -= p->A[i][j];
  }
}

// ---- bounds and right sides ----

static int64_t magnitude(void) {   // 1..1e10, of either sign
  int64_t v = whole(1, 9);
  for (int k = whole(0, 9); k > 0; k--) v *= 10;
  return chance(50) ? v : -v;
}

static void make_bounds(exact_problem *p) {
  const int free_rows = chance(60), boxed = !free_rows || chance(50);
  for (int i = 0; i < p->n; i++) {
    const int kind = whole(0, 5);
    if (kind <= 1 && free_rows) p->lo[i] = -EXACT_INF;
    if (kind == 2 && boxed) {
      p->lo[i] = whole(-3, 1);
      p->hi[i] = p->lo[i] + whole(chance(10) ? 0 : 1, 4);
    }
    if (kind == 3 && boxed) {
      p->lo[i] = -EXACT_INF;
      p->hi[i] = whole(-2, 2);
    }
    if (kind == 4 && boxed) p->lo[i] = whole(-2, 2);
  }
}

// b = y - A x for a complementary pair, ties with the given chance.
static void build_right_side(exact_problem *p, int ties) {
  int64_t x[EXACT_ROWS], y[EXACT_ROWS];
  for (int i = 0; i < p->n; i++) {
    const int low = p->lo[i] != -EXACT_INF, high = p->hi[i] != EXACT_INF;
    const int label = whole(0, 2), size = chance(ties) ? 0 : whole(1, 5);
    y[i] = 0;
    if (label == 1 && low) {
      x[i] = p->lo[i];
      y[i] = size;
    } else if (label == 2 && high) {
      x[i] = p->hi[i];
      y[i] = -size;
    } else {
      const int64_t from = low ? p->lo[i] : high ? p->hi[i] - 4 : -4;
      const int64_t to = high ? p->hi[i] : from + (low ? 4 : 8);
      x[i] = low && chance(ties) ? from : from + (int64_t)(draw()%(uint64_t)(to - from + 1));
    }
  }
  for (int i = 0; i < p->n; i++) {
    p->b[i] = y[i];
    for (int j = 0; j < p->n; j++) p->b[i] -= p->A[i][j]*x[j];
  }
}

static void make_views(small_problem *s) {
  const exact_problem *p = &s->exact;
  const int n = p->n;
  int32_t nnz = 0;
  for (int j = 0; j < n; j++) {
    s->colptr[j] = nnz;
    for (int i = 0; i < n; i++) {
      const double v = ldexp((double)p->A[i][j], s->row[i] + s->column[j]);
      s->A[i*n + j] = v;
      if (v == 0.0) continue;
      s->rows[nnz] = i;
      s->value[nnz++] = v;
    }
    s->b[j] = ldexp((double)p->b[j], s->row[j]);
    s->lo[j] = p->lo[j] == -EXACT_INF ? -(double)INFINITY
                                      : ldexp((double)p->lo[j], -s->column[j]);
    s->hi[j] = p->hi[j] == EXACT_INF ? (double)INFINITY : ldexp((double)p->hi[j], -s->column[j]);
  }
  s->colptr[n] = nnz;
  s->dense = (perp_dense){.n = n, .value = s->A};
  s->csc = (perp_csc){n, n, s->colptr, s->rows, s->value};
  s->problem = (perp_problem){
      .A = chance(50) ? perp_from_dense(&s->dense, 0) : perp_from_csc(&s->csc, 0), .b = s->b,
      .lo = s->plain ? NULL : s->lo, .hi = s->plain ? NULL : s->hi};
}

void problem_make(uint64_t number, small_problem *s) {
  memset(s, 0, sizeof *s);
  state = number*0x2545F4914F6CDD1Du + 17;
  exact_problem *p = &s->exact;
  s->kind = (problem_class)(number%PROBLEM_CLASSES);
  p->n = chance(85) ? whole(1, 5) : whole(6, EXACT_ROWS);
  switch (s->kind) {
    case PROBLEM_P: make_P(p); break;
    case PROBLEM_PSD: make_PSD(p); break;
    case PROBLEM_SINGULAR: make_singular(p); break;
    case PROBLEM_STRICT: make_strict(p); break;
    case PROBLEM_COPOSITIVE: make_copositive(p); break;
    case PROBLEM_TIES: any(p, 1, 80); break;
    case PROBLEM_WIDE: any(p, whole(1, 3), whole(40, 90)); break;
    case PROBLEM_WIDE_PSD: make_PSD(p); break;
    case PROBLEM_CHAINS: make_chain(p); break;
    case PROBLEM_NEAR: make_near(p); break;
    case PROBLEM_DEGENERATE:
      switch (whole(0, 3)) {
        case 0: make_P(p); break;
        case 1: make_PSD(p); break;
        case 2: make_copositive(p); break;
        default: any(p, 3, 70);
      }
      break;
    default: any(p, whole(1, 6), 80);
  }
  s->plain = number/PROBLEM_CLASSES%2 == 0;
  for (int i = 0; i < p->n; i++) p->hi[i] = EXACT_INF;
  if (!s->plain) make_bounds(p);
  const int size = s->kind == PROBLEM_TIES ? 1 : 8;
  if (s->kind == PROBLEM_WIDE || s->kind == PROBLEM_WIDE_PSD || s->kind == PROBLEM_CHAINS)
    for (int i = 0; i < p->n; i++) p->b[i] = magnitude();
  else if (s->kind == PROBLEM_DEGENERATE) build_right_side(p, 60);
  else if (s->kind != PROBLEM_TIES && s->kind != PROBLEM_NEAR && chance(40)) build_right_side(p, 20);
  else
    for (int i = 0; i < p->n; i++) p->b[i] = whole(-size, size);
  s->scaled = number/PROBLEM_CLASSES%4 >= 2;
  const int most = chance(50) ? 40 : 10;
  for (int i = 0; s->scaled && i < p->n; i++) {
    s->row[i] = whole(-most, most);
    s->column[i] = whole(-most, most);
  }
  make_views(s);
}

void problem_unscale(const small_problem *s, const double *x, double *whole_x) {
  for (int i = 0; i < s->exact.n; i++) whole_x[i] = ldexp(x[i], s->column[i]);
}

static void print_array(const char *name, int count, const double *v) {
  printf("  double %s[] = {", name);
  for (int k = 0; k < count; k++) {
    if (v[k] - v[k] != 0.0) printf("%sINFINITY", v[k] < 0.0 ? "-" : "");
    else printf("%.17g", v[k]);
    printf("%s", k + 1 < count ? ", " : "};\n");
  }
}

void problem_print(const small_problem *s) {
  const exact_problem *p = &s->exact;
  printf("  // %s, n = %d%s, given as %s; in whole numbers:\n", problem_class_name(s->kind), p->n,
         s->scaled ? ", scaled" : "", s->problem.A.ops->name);
  for (int i = 0; i < p->n; i++) {
    printf("  //  ");
    for (int j = 0; j < p->n; j++) printf(" %3lld", (long long)p->A[i][j]);
    printf("   b %3lld   lo ", (long long)p->b[i]);
    if (p->lo[i] == -EXACT_INF) printf("-inf");
    else printf("%lld", (long long)p->lo[i]);
    if (p->hi[i] == EXACT_INF) printf(" hi inf");
    else printf(" hi %lld", (long long)p->hi[i]);
    printf("   row 2^%d, column 2^%d\n", s->row[i], s->column[i]);
  }
  print_array("A", p->n*p->n, s->A);
  print_array("b", p->n, s->b);
  print_array("lo", p->n, s->lo);
  print_array("hi", p->n, s->hi);
}
