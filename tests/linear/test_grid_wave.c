// Lines that go through all stages of a pass at once have the values of one stage after another.
#include "grid_parts.h"
#include "levels_sample.h"

// Runs one side of the cycle on a level from the same values, stage by stage and together.
static void compare(grid_levels *g, int32_t level, int up) {
  static const grid_stage sides[2][GRID_WAVE] = {
    {GRID_FIRST, GRID_BLACK, GRID_RED, GRID_BLACK, GRID_RESIDUAL},
    {GRID_CORRECT, GRID_BLACK, GRID_RED, GRID_BLACK, GRID_RED}};
  grid_level *l = &g->at[level];
  const size_t size = 2*l->area*sizeof(float);
  float *start = malloc(size), *z = malloc(size), *across = malloc(size/2);
  memcpy(start, l->z, size);
  grid_pass pass = {.g = g, .l = l, .stage = sides[up], .stages = GRID_WAVE};
  grid_pass_run(&pass);
  memcpy(z, l->z, size);
  memcpy(across, l->across, size/2);
  memcpy(l->z, start, size);
  memset(l->across, 0, size/2);
  pass.wave = up ? GRID_WAVE_UP : GRID_WAVE_DOWN;
  grid_pass_run(&pass);
  int moved = 0;
  for (size_t i = 0; i < 2*l->area; i++) {
    assert_true(l->z[i] == z[i]);                    // 0 and -0 in empty blocks are the same
    moved += z[i] != start[i];
  }
  for (size_t i = 0; !up && i < l->area; i++) assert_true(l->across[i] == across[i]);
  assert_true(moved > 20);
  free(start);
  free(z);
  free(across);
}

static void waves(void **state) {
  (void)state;
  static const struct { int32_t x, y, z; double spacing[3]; } cases[] = {
    {403, 37, 1, {1.0, 1.0, 1.0}}, {403, 37, 1, {1.0, 1.07, 1.0}}, {37, 90, 1, {1.1, 1.0, 1.0}},
    {45, 21, 19, {1.0, 1.1, 1.3}}, {17, 60, 12, {1.0, 1.0, 1.0}}, {350, 7, 9, {1.0, 1.2, 1.1}}};
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++)
    for (int cut = 0; cut < 2; cut++) {
      levels_sample s = levels_sample_new(cases[k].x, cases[k].y, cases[k].z);
      memcpy(s.grid.spacing, cases[k].spacing, sizeof s.grid.spacing);
      for (int32_t i = 0; i < s.n; i++) {            // a surface, walls here and there
        const int32_t x = i%cases[k].x, y = i/cases[k].x%cases[k].y;
        if (y > cases[k].y - 4 - x%3) s.type[i] = PERP_CELL_AIR;
        if (x%101 == 60 && y < 5) s.type[i] = PERP_CELL_SOLID;
      }
      if (cut) levels_sample_add_faces(&s);          // weights of their own in some lines
      for (size_t f = 0; cut && f < levels_sample_faces(&s, 0); f++)
        if (f/(size_t)(cases[k].x + 1)%7 == 5) s.face[0][f] = between(0.5, 1.0);
      int failed;
      grid_levels *g = grid_levels_create(&s.grid, NULL, NULL, NULL, &failed);
      assert_non_null(g);
      for (int change = 0; change < 3; change++) {   // all free, some not, all again
        for (int32_t i = 0; i < s.n; i++) s.is_free[i] = change != 1 || (i*7 + i/50)%24 != 2;
        grid_levels_mask(g, 0, s.is_free);
        grid_levels_cycle(g, 0, s.r, s.z);           // loads r, and fills the level below
        for (int32_t level = 0; level < 2; level++) {
          compare(g, level, 0);
          compare(g, level, 1);
        }
      }
      grid_levels_destroy(g);
      levels_sample_free(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(waves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
