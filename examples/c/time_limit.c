// time_limit.c: a solver made once and used in every frame: 5 ms each, no allocation,
// the best iterate so far.
//
// The problem is a tower of 1,000 boxes under gravity: far too high for Gauss-Seidel in 5 ms, on
// purpose. Each frame starts from the answer of the last one, so that the tower sinks less from
// frame to frame.
#include <perp/method.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, FRAMES = 5 };

static int32_t colptr[N + 1], row[3*N];
static double value[3*N], b[N], x[N];

static void *counted(void *context, size_t bytes) {
  ++*(int *)context;
  return malloc(bytes);
}
static void released(void *context, void *memory) {
  (void)context;
  free(memory);
}

int main(void) {
  for (int32_t j = 0, p = 0; j < N; j++) {
    if (j > 0) row[p] = j - 1, value[p++] = -1;
    row[p] = j, value[p++] = j > 0 ? 2 : 1;     // contact 0 is with the floor, which does not move
    if (j < N - 1) row[p] = j + 1, value[p++] = -1;
    colptr[j + 1] = p;
    b[j] = j > 0 ? 0 : -9.81/60;                // only there do bodies approach each other at first
  }
  const perp_csc matrix = {N, N, colptr, row, value};
  // A stays: validate and equilibrate it once
  const perp_problem problem = {.A = perp_from_csc(&matrix, PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PD),
                                .b = b, .pattern_stamp = 1, .value_stamp = 1};

  const perp_method *method = perp_find_method("pgs");
  perp_options options = perp_default_options(method);
  options.time_limit = 5e-3;
  int allocations = 0;
  const perp_allocator allocator = {counted, released, &allocations};
  const perp_limits limits = perp_limits_of(&problem);
  perp_solver *solver;
  if (perp_solver_create(method, &limits, &options, &allocator, &solver) != PERP_OK) {
    fprintf(stderr, "%s\n", perp_last_message());
    return 1;
  }
  const int before = allocations;
  double first = 0, last = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    perp_result result;
    if (perp_solve(solver, &problem, x, &result) != PERP_OK)
      return fprintf(stderr, "%s\n", perp_last_message()), 1;
    printf("frame %d: %s\n", frame, perp_status_name(result.status));
    last = result.certificate.residual;
    if (frame == 0) first = last;
    fprintf(stderr, "  %.2f ms, %d iterations, residual %.3g\n", 1e3*result.seconds,
            result.iterations, last);
  }
  printf("the answer got better: %s\n", last < first ? "yes" : "no");
  printf("allocations in %d solves: %d\n", FRAMES, allocations - before);
  perp_solver_destroy(solver);
  return 0;
}

// expect: frame 0: time limit
// expect: frame 4: time limit
// expect: the answer got better: yes
// expect: allocations in 5 solves: 0
