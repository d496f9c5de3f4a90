// hashes.c: prints a hash of every problem of the gallery and of each method's answer to it.
//
// scripts/portable.sh compares what this program prints on different systems. A line is
//   FAMILY data n HASH                          the bits of A, b and the bounds
//   FAMILY METHOD STATUS ITERATIONS HASH        the bits of x after at most ITERATION_LIMIT iterations
// No clock is read: nothing here depends on the speed of a machine.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/gallery.h>
#include <perp/method.h>
#include <perp/perp.h>

enum { ITERATION_LIMIT = 40 };

static double no_clock(void *context) {
  (void)context;
  return 0.0;
}

static uint64_t hash(uint64_t h, const void *data, size_t bytes) {   // FNV-1a
  const unsigned char *p = data;
  for (size_t k = 0; p != NULL && k < bytes; k++) h = (h ^ p[k])*0x100000001b3u;
  return h;
}

static uint64_t hash_problem(const perp_sample *s) {
  const size_t n = (size_t)s->n, entries = (size_t)s->colptr[n];
  uint64_t h = hash(0xcbf29ce484222325u, s->colptr, (n + 1)*sizeof *s->colptr);
  h = hash(h, s->row, entries*sizeof *s->row);
  h = hash(h, s->value, entries*sizeof *s->value);
  h = hash(h, s->b, n*sizeof *s->b);
  h = hash(h, s->lo, n*sizeof *s->lo);
  return hash(h, s->hi, n*sizeof *s->hi);
}

static void answer(const perp_family *family, const perp_sample *s, const perp_method *method) {
  double *x = calloc((size_t)s->n, sizeof *x);
  perp_options options = perp_default_options(method);
  perp_result result;
  options.iteration_limit = ITERATION_LIMIT;
  options.clock = no_clock;
  if (x != NULL && perp_solve_once(&s->problem, x, &options, &result) == PERP_OK)
    printf("%s %s %s %d %016" PRIx64 "\n", family->name, method->name,
           perp_status_name(result.status), (int)result.iterations,
           hash(0xcbf29ce484222325u, x, (size_t)s->n*sizeof *x));
  free(x);
}

int main(void) {
  for (int32_t f = 0; f < perp_family_count(); f++) {
    const perp_family *family = perp_family_at(f);
    static perp_sample s;
    if (perp_generate(family, NULL, 1, &s) != PERP_OK) {
      fprintf(stderr, "%s: %s\n", family->name, perp_last_message());
      return 1;
    }
    printf("%s data %d %016" PRIx64 "\n", family->name, (int)s.n, hash_problem(&s));
    for (int32_t k = 0; k < perp_method_count(); k++)
      if (perp_method_accepts(perp_method_at(k), &s.problem) == PERP_OK)
        answer(family, &s, perp_method_at(k));
    perp_sample_free(&s);
  }
  return 0;
}
