// ldl.c: our sparse LDL' against CHOLMOD's, simplicial and by supernodes: analysis, fill, numeric
// factorisation, solve, and rows that come and go. One thread.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "kinetic.h"
#include "peak.h"
#include "sparse_ldl.h"

#ifdef BENCH_CHOLMOD
#include <cholmod.h>
#endif

enum { ROWS = 100 };           // rows deleted and added again

typedef struct subject {
  const char *name;
  int32_t n;
  const perp_csc *A;           // symmetric, whole
  int32_t definite;            // 0: quasidefinite
  double *b, *v;               // n
  int32_t row[ROWS];           // to delete and to add
  double amd;                  // entries of L in AMD's order; 0: not known
} subject;

typedef struct figures {
  double entries, flops;       // of L, of a factorisation
  double analysis, factor, solve, remove, add;   // seconds; row operations: of one; < 0: not known
  double residual;             // |b - A v|/(|A||v| + |b|), largest row, after all of it
} figures;

static double residual(const subject *s) {
  const perp_csc *A = s->A;
  double worst = 0.0;
  for (int32_t j = 0; j < s->n; j++) {          // rows are columns
    double rest = s->b[j], size = fabs(s->b[j]) + 1e-300;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      rest -= A->value[p]*s->v[A->row[p]];
      size += fabs(A->value[p]*s->v[A->row[p]]);
    }
    if (!(fabs(rest)/size <= worst)) worst = fabs(rest)/size;
  }
  return worst;
}

static void tell(bench_table *t, const subject *s, const char *who, const figures *f) {
  char fill[24] = "-", rows[2][24] = {"-", "-"};
  if (s->amd > 0.0) snprintf(fill, sizeof fill, "%.3f", f->entries/s->amd);
  if (f->remove >= 0.0) snprintf(rows[0], sizeof rows[0], "%.1f", 1e6*f->remove);
  if (f->add >= 0.0) snprintf(rows[1], sizeof rows[1], "%.1f", 1e6*f->add);
  bench_row(t, "%s|%d|%s|%.0f|%s|%.3g|%.4g|%.2f|%.3g|%s|%s|%.1e", s->name, s->n, who, f->entries,
            fill, 1e3*f->analysis, 1e3*f->factor, 1e-9*f->flops/f->factor, 1e3*f->solve, rows[0],
            rows[1], f->residual);
}

// ---- ours ----

typedef struct ours {
  subject *s;
  sparse_ldl *f;
  int failed;
} ours;

static void our_factor(void *data) {
  ours *o = data;
  o->failed |= sparse_ldl_factor(o->f, o->s->A, NULL, 0.0, NULL);
}
static void our_solve(void *data) {
  ours *o = data;
  memcpy(o->s->v, o->s->b, (size_t)o->s->n*sizeof *o->s->v);
  sparse_ldl_solve(o->f, o->s->v);
}

static int32_t repeats_of(double flops) { return flops > 1e9 ? 3 : flops > 1e8 ? 7 : 25; }

static figures measure_ours(subject *s) {
  figures f = {.analysis = 1e300};
  ours o = {.s = s};
  for (int k = 0; k < 3; k++) {
    sparse_ldl_destroy(o.f);
    const double start = bench_seconds();
    o.f = sparse_ldl_create(NULL);
    o.failed = sparse_ldl_analyse(o.f, s->A);
    f.analysis = fmin(f.analysis, bench_seconds() - start);
  }
  f.entries = (double)sparse_ldl_nnz(o.f);
  f.flops = sparse_ldl_flops(o.f);
  f.factor = bench_measure(our_factor, &o, 1, repeats_of(f.flops)).best;
  f.remove = f.add = 1e300;
  uint8_t *kept = bench_take((size_t)s->n, 1);
  memset(kept, 1, (size_t)s->n);
  for (int pass = 0; pass < 3; pass++) {
    double start = bench_seconds();
    for (int k = 0; k < ROWS; k++) {
      o.failed |= sparse_ldl_delete(o.f, s->A, s->row[k], 0.0);
      kept[s->row[k]] = 0;
    }
    f.remove = fmin(f.remove, (bench_seconds() - start)/ROWS);
    start = bench_seconds();
    for (int k = ROWS - 1; k >= 0; k--) {
      o.failed |= sparse_ldl_add(o.f, s->A, kept, s->row[k], 0.0);
      kept[s->row[k]] = 1;
    }
    f.add = fmin(f.add, (bench_seconds() - start)/ROWS);
  }
  f.solve = bench_measure(our_solve, &o, 1, 10).best;
  f.residual = o.failed ? (double)INFINITY : residual(s);
  sparse_ldl_destroy(o.f);
  free(kept);
  return f;
}

// ---- CHOLMOD ----

#ifdef BENCH_CHOLMOD
typedef struct theirs {
  subject *s;
  cholmod_common common;
  cholmod_sparse S;
  cholmod_factor *pattern, *L;
  cholmod_dense *X, *Y, *E;
  int failed;
} theirs;

static void their_factor(void *data) {
  theirs *t = data;
  cholmod_free_factor(&t->L, &t->common);
  t->L = cholmod_copy_factor(t->pattern, &t->common);
  t->failed |= !cholmod_factorize(&t->S, t->L, &t->common) || t->L->minor < t->L->n;
}
static void their_solve(void *data) {
  theirs *t = data;
  const size_t n = (size_t)t->s->n;
  cholmod_dense B = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = t->s->b, .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  t->failed |= !cholmod_solve2(CHOLMOD_A, t->L, &B, NULL, &t->X, NULL, &t->Y, &t->E, &t->common);
  if (!t->failed) memcpy(t->s->v, t->X->x, n*sizeof(double));
}

// Row k among the rows kept, in the order of L.
static cholmod_sparse *their_row(theirs *t, const uint8_t *kept, const int32_t *place, int32_t k) {
  const perp_csc *A = t->s->A;
  const size_t length = (size_t)(A->colptr[k + 1] - A->colptr[k]);
  cholmod_sparse *R = cholmod_allocate_sparse((size_t)A->rows, 1, length, 0, 1, 0, CHOLMOD_REAL,
                                              &t->common);
  int count = 0;
  for (int32_t p = A->colptr[k]; p < A->colptr[k + 1]; p++) {
    if (A->row[p] != k && !kept[A->row[p]]) continue;
    ((int *)R->i)[count] = place[A->row[p]];
    ((double *)R->x)[count++] = A->value[p];
  }
  ((int *)R->p)[0] = 0;
  ((int *)R->p)[1] = count;
  t->failed |= !cholmod_sort(R, &t->common);
  return R;
}

static void their_rows(theirs *t, figures *f) {
  uint8_t *kept = bench_take((size_t)t->s->n, 1);
  int32_t *place = bench_take((size_t)t->s->n, sizeof *place);
  for (int32_t k = 0; k < t->s->n; k++) place[((int *)t->L->Perm)[k]] = k;
  memset(kept, 1, (size_t)t->s->n);
  f->remove = f->add = 1e300;
  for (int pass = 0; pass < 3; pass++) {
    cholmod_sparse *R[ROWS];                     // built before: only the modification is timed
    double start = bench_seconds();
    for (int k = 0; k < ROWS; k++)
      t->failed |= !cholmod_rowdel((size_t)place[t->s->row[k]], NULL, t->L, &t->common);
    f->remove = fmin(f->remove, (bench_seconds() - start)/ROWS);
    for (int k = 0; k < ROWS; k++) {
      kept[t->s->row[k]] = 0;
      R[k] = their_row(t, kept, place, t->s->row[k]);
    }
    start = bench_seconds();
    for (int k = ROWS - 1; k >= 0; k--)
      t->failed |= !cholmod_rowadd((size_t)place[t->s->row[k]], R[k], t->L, &t->common);
    f->add = fmin(f->add, (bench_seconds() - start)/ROWS);
    for (int k = 0; k < ROWS; k++) {
      kept[t->s->row[k]] = 1;
      cholmod_free_sparse(&R[k], &t->common);
    }
  }
  free(kept);
  free(place);
}

static figures measure_theirs(subject *s, int supernodal) {
  figures f = {.analysis = 1e300, .remove = -1.0, .add = -1.0};
  theirs t = {.s = s};
  const perp_csc *A = s->A;
  cholmod_start(&t.common);
  t.common.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
  t.common.nmethods = 1;
  t.common.method[0].ordering = CHOLMOD_AMD;
  t.common.postorder = 1;
  t.common.final_pack = 0;
  t.common.print = 0;
  t.S = (cholmod_sparse){.nrow = (size_t)s->n, .ncol = (size_t)s->n,
                         .nzmax = (size_t)A->colptr[s->n], .p = (void *)(uintptr_t)A->colptr,
                         .i = (void *)(uintptr_t)A->row, .x = (void *)(uintptr_t)A->value,
                         .stype = -1, .itype = CHOLMOD_INT, .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE, .sorted = 1, .packed = 1};
  for (int k = 0; k < 3; k++) {
    cholmod_free_factor(&t.pattern, &t.common);
    const double start = bench_seconds();
    t.pattern = cholmod_analyze(&t.S, &t.common);
    f.analysis = fmin(f.analysis, bench_seconds() - start);
  }
  f.flops = t.common.fl;
  f.entries = s->amd = t.common.lnz;
  f.factor = bench_measure(their_factor, &t, 1, repeats_of(f.flops)).best;
  if (!supernodal) their_rows(&t, &f);
  f.solve = bench_measure(their_solve, &t, 1, 10).best;
  f.residual = t.failed ? (double)INFINITY : residual(s);
  cholmod_free_factor(&t.pattern, &t.common);
  cholmod_free_factor(&t.L, &t.common);
  cholmod_free_dense(&t.X, &t.common);
  cholmod_free_dense(&t.Y, &t.common);
  cholmod_free_dense(&t.E, &t.common);
  cholmod_finish(&t.common);
  return f;
}

static void measure_peers(bench_table *t, subject *s, figures of[2]) {
  of[0] = measure_theirs(s, 0);
  tell(t, s, "CHOLMOD simplicial", &of[0]);
  if (!s->definite) return;                      // LL' by supernodes: definite matrices only
  of[1] = measure_theirs(s, 1);
  tell(t, s, "CHOLMOD supernodal", &of[1]);
}
#else
static void measure_peers(bench_table *t, subject *s, figures of[2]) {
  (void)of;
  bench_row(t, "%s|%d|CHOLMOD|absent|-|-|-|-|-|-|-|-", s->name, s->n);
}
#endif

static void measure(bench_table *t, subject s) {
  const figures unknown = {.analysis = -1.0};
  figures peer[2] = {unknown, unknown};
  s.n = s.A->columns;
  s.b = bench_take((size_t)s.n, sizeof *s.b);
  s.v = bench_take((size_t)s.n, sizeof *s.v);
  for (int32_t i = 0; i < s.n; i++) s.b[i] = perp_random_uniform(3, (uint64_t)i) - 0.5;
  const int32_t apart = s.n/ROWS;                // different rows, all over the matrix
  for (int32_t k = 0; k < ROWS; k++)
    s.row[k] = k*apart + (int32_t)(apart*perp_random_uniform(4, (uint64_t)k));
  measure_peers(t, &s, peer);
  const figures own = measure_ours(&s);
  tell(t, &s, "perp", &own);
  if (peer[0].analysis > 0.0)
    bench_note(t, "%s: factor %.2f x simplicial's time; delete %.2f x, add %.2f x CHOLMOD's",
               s.name, own.factor/peer[0].factor, own.remove/peer[0].remove,
               own.add/peer[0].add);
  if (peer[1].analysis > 0.0)
    bench_note(t, "%s: factor %.2f x supernodal's time", s.name, own.factor/peer[1].factor);
  free(s.b);
  free(s.v);
}

static void from_gallery(bench_table *t, const char *name, const char *family,
                         const char *settings) {
  perp_sample sample;
  bench_generate(family, settings, &sample);
  measure(t, (subject){.name = name, .A = &sample.csc, .definite = 1});
  perp_sample_free(&sample);
}

int main(int count, char **words) {
  if (getenv("OMP_THREAD_LIMIT") == NULL) {      // the BLAS reads it before main
    setenv("OMP_THREAD_LIMIT", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", words);
  }
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "ldl", "sparse LDL': ours and CHOLMOD's, one thread",
                              "matrix|n|who|entries of L|over AMD's|analysis ms|factor ms|GFlop/s|"
                              "solve ms|delete us|add us|residual");
  from_gallery(t, "wall, normal, 147", "wall", "mode=0 bodies=147");
  from_gallery(t, "bearing 100^2", "bearing", "nx=100 ny=100");
  perp_csc K = kinetic_make(20, 1);
  measure(t, (subject){.name = "bodies and contacts, 20^2", .A = &K});
  kinetic_free(&K);
  if (!b.quick) {
    from_gallery(t, "wall, normal, 820", "wall", "mode=0 bodies=820 points=6 condition=1e8");
    from_gallery(t, "wall, mixed, 388", "wall", "mode=1 bodies=388");
    from_gallery(t, "bearing 400^2", "bearing", "nx=400 ny=400");
    K = kinetic_make(60, 1);
    measure(t, (subject){.name = "bodies and contacts, 60^2", .A = &K});
    kinetic_free(&K);
  }
  const peak p = peak_measure();
  bench_note(t, "A core multiplies and adds %.1f GFlop/s with 2 doubles at a time, %.1f with 4 and "
                "fused, measured in registers.", 1e-9*p.two, 1e-9*p.four);
  bench_note(t, "delete, add: of %d rows one after the other, then back; CHOLMOD's rows cut out "
                "beforehand. solve: after that, one right-hand side.", ROWS);
  bench_note(t, "entries of L: ours with the zeros stored in supernodes. GFlop/s: without them. "
                "residual: largest |b - A v|/(|A||v| + |b|), no refinement.");
  bench_close(t);
  return 0;
}
