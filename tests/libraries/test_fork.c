// test_fork.c: after fork() the child has no threads but its own; it can use and destroy what its
// parent made all the same, with the same bits.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <perp/contact.h>
#include <perp/fluid.h>

enum { SIDE = 300, ROWS = SIDE*SIDE, THREADS = 3, WATCHDOG_SECONDS = 60 };

// in_child(action, data): the child runs action() and leaves; it must return 1 before the alarm.
static void in_child(int (*action)(void *), void *data) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(WATCHDOG_SECONDS);
    _exit(action(data) ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) fail_msg("the child was ended by signal %d", WTERMSIG(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void let_threads_sleep(void) { nanosleep(&(struct timespec){0, 50000000}, NULL); }

// ---------------------------------------------------------------------------------------- solver

static uint8_t liquid[ROWS];
static double b[ROWS], first[ROWS], again[ROWS];
static perp_grid grid = {.cells = {SIDE, SIDE, 1}, .spacing = {1, 1, 1}, .type = liquid};
static perp_problem problem;

static perp_solver *make_solver(void) {
  for (int32_t i = 0; i < ROWS; i++) {
    liquid[i] = i%SIDE == 0 ? PERP_CELL_AIR : PERP_CELL_LIQUID;
    b[i] = liquid[i] == PERP_CELL_LIQUID ? sin(0.01*i) : 0.0;
  }
  problem = (perp_problem){.A = perp_from_grid(&grid, PERP_CLAIM_NONE), .b = b};
  perp_options options = perp_default_options(NULL);
  options.threads = THREADS;
  options.tol = 1e-4;
  const perp_limits limits = perp_limits_of(&problem);
  perp_solver *solver = NULL;
  assert_int_equal(perp_solver_create(options.method, &limits, &options, NULL, &solver), PERP_OK);
  return solver;
}

static int solve_again(perp_solver *solver) {
  perp_result result;
  memset(again, 0, sizeof again);
  return perp_solve(solver, &problem, again, &result) == PERP_OK &&
         result.status == PERP_STATUS_SOLVED && memcmp(first, again, sizeof first) == 0;
}

static int destroy_solver(void *data) { return perp_solver_destroy(data), 1; }
static int solve_and_destroy(void *data) {
  return solve_again(data) && solve_again(data) && destroy_solver(data);
}

static void a_solver_survives_fork(void **state) {
  (void)state;
  perp_solver *solver = make_solver();
  in_child(destroy_solver, solver);   // its threads have hardly begun
  perp_result result;
  assert_int_equal(perp_solve(solver, &problem, first, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  in_child(destroy_solver, solver);   // they still spin
  let_threads_sleep();
  in_child(destroy_solver, solver);
  in_child(solve_and_destroy, solver);
  assert_true(solve_again(solver));   // the parent's threads are as they were
  perp_solver_destroy(solver);
}

// A child can have threads of its own.
static int make_another(void *data) {
  perp_solver_destroy(data);
  perp_solver *own = make_solver();
  return solve_and_destroy(own);
}
static void a_child_makes_a_solver_of_its_own(void **state) {
  (void)state;
  perp_solver *solver = make_solver();
  assert_true(solve_again(solver));
  in_child(make_another, solver);
  perp_solver_destroy(solver);
}

// The parent's threads are at work, some of them perhaps with a lock, while it forks.
static atomic_int enough;
static void *keep_solving(void *data) {
  while (!atomic_load(&enough)) assert_true(solve_again(data));
  return NULL;
}
static void fork_in_the_middle_of_a_solve(void **state) {
  (void)state;
  perp_solver *solver = make_solver();
  pthread_t busy;
  atomic_store(&enough, 0);
  assert_int_equal(pthread_create(&busy, NULL, keep_solving, solver), 0);
  for (int k = 0; k < 10; k++) {
    nanosleep(&(struct timespec){0, 7000000*(k + 1)}, NULL);
    in_child(destroy_solver, solver);
  }
  atomic_store(&enough, 1);
  pthread_join(busy, NULL);
  perp_solver_destroy(solver);
}

// -------------------------------------------------------------------------------- world and fluid

static perp_motion ended[64];
static int step_world(perp_world *world) {
  for (int k = 0; k < 5; k++)
    if (perp_world_step(world, NULL) != PERP_OK) return 0;
  return 1;
}
static int step_and_destroy_world(void *data) {
  perp_world *world = data;
  const int good = step_world(world) && memcmp(ended, perp_world_motions(world),
                                    (size_t)perp_world_count(world)*sizeof *ended) == 0;
  return perp_world_destroy(world), good;
}
static int destroy_world(void *data) { return perp_world_destroy(data), 1; }

static void a_world_survives_fork(void **state) {
  (void)state;
  perp_world_settings settings = perp_world_defaults();
  settings.threads = THREADS;
  perp_world *world = NULL;
  assert_int_equal(perp_world_create(&settings, NULL, &world), PERP_OK);
  const perp_body floor = perp_plane(0, 1, 0, 0);
  assert_int_equal(perp_world_add(world, &floor, NULL), PERP_OK);
  for (int k = 0; k < 40; k++) {
    perp_body ball = perp_sphere(0.5, 1.0);
    ball.motion.position[0] = 2*(k/2);
    ball.motion.position[1] = 0.5 + k%2;
    ball.motion.velocity[0] = 0.1*(k%3);
    assert_int_equal(perp_world_add(world, &ball, NULL), PERP_OK);
  }
  assert_true(step_world(world));
  const size_t bytes = perp_world_save(world, NULL, 0);
  void *saved = malloc(bytes);
  perp_world_save(world, saved, bytes);
  assert_true(step_world(world));
  memcpy(ended, perp_world_motions(world), (size_t)perp_world_count(world)*sizeof *ended);
  assert_int_equal(perp_world_load(world, saved, bytes), PERP_OK);
  free(saved);
  in_child(destroy_world, world);
  let_threads_sleep();
  in_child(destroy_world, world);
  in_child(step_and_destroy_world, world);
  assert_true(step_and_destroy_world(world));
}

static double volume;
static int step_and_destroy_fluid(void *data) {
  perp_fluid_report report;
  const int good = perp_fluid_step(data, &report) == PERP_OK &&
                   memcmp(&report.volume, &volume, sizeof volume) == 0;
  return perp_fluid_destroy(data), good;
}
static int destroy_fluid(void *data) { return perp_fluid_destroy(data), 1; }

static void a_fluid_survives_fork(void **state) {
  (void)state;
  perp_fluid_report report;
  for (int turn = 0; turn < 2; turn++) {   // the second liquid repeats the first one in a child
    perp_fluid_settings settings = perp_fluid_defaults(2, 32, 32, 1);
    settings.threads = THREADS;
    perp_fluid *fluid = NULL;
    assert_int_equal(perp_fluid_create(&settings, NULL, &fluid), PERP_OK);
    const perp_fluid_shape drop = perp_fluid_sphere(0.5, 0.4, 0, 0.2);
    assert_int_equal(perp_fluid_pour(fluid, &drop, NULL), PERP_OK);
    assert_int_equal(perp_fluid_step(fluid, &report), PERP_OK);
    let_threads_sleep();
    if (turn == 0) {
      in_child(destroy_fluid, fluid);
      assert_int_equal(perp_fluid_step(fluid, &report), PERP_OK);
      volume = report.volume;
    } else {
      in_child(step_and_destroy_fluid, fluid);
    }
    perp_fluid_destroy(fluid);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_solver_survives_fork),
    cmocka_unit_test(a_child_makes_a_solver_of_its_own),
    cmocka_unit_test(fork_in_the_middle_of_a_solve),
    cmocka_unit_test(a_world_survives_fork),
    cmocka_unit_test(a_fluid_survives_fork),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
