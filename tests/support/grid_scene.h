// grid_scene.h: liquid in a box with obstacles: pressure problems of any size, and the same with
// their entries, assembled here.
//
// Cells are classified by two distances, that of the solid (the box and some balls) and that of the
// liquid (a wavy pool, drops, liquid at the ceiling). Faces have area fractions from the first and
// are divided by theta from the second. b is the divergence of an arbitrary velocity: waves and a
// fall.
#ifndef PERP_TEST_GRID_SCENE_H
#define PERP_TEST_GRID_SCENE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <perp/matrix.h>
#include <perp/perp.h>

typedef struct grid_recipe {
  int32_t cells[3];
  uint64_t seed;
  int every;           // 1: every cell can let go, 0: those at walls
  int closed;          // 1: liquid everywhere, no air
  int ceiling;         // 1: the pool hangs at the top
  int cut;             // 1: faces are cut by solids, 0: open or closed
  int ghost;           // 1: weights over theta at the surface
  int balls, drops;
  double fill;         // height of the pool, of 1
  double theta;        // smallest
  double time;         // moves the surface and the velocity
} grid_recipe;

typedef struct grid_scene {
  perp_grid grid;
  int32_t n, liquid;
  uint8_t *type;
  double *face[3], *b, *lo, *hi, *x;
  perp_problem problem;
  double ball[16][4], drop[16][4], wave[3][4][6], surface[4][4];
} grid_scene;

static inline uint64_t scene_draw(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30))*0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27))*0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
static inline double scene_between(uint64_t *state, double low, double high) {
  return low + (high - low)*(double)(scene_draw(state) >> 11)*0x1p-53;
}

static inline double ball_distance(const double *ball, const double *p, int d) {
  double sum = 0.0;
  for (int k = 0; k < d; k++) sum += (p[k] - ball[k])*(p[k] - ball[k]);
  return sqrt(sum) - ball[3];
}

// > 0 outside
static inline double solid_distance(const grid_scene *s, const grid_recipe *r, const double *p) {
  double least = 1.0;
  for (int k = 0; k < r->balls; k++)
    least = fmin(least, ball_distance(s->ball[k], p, r->cells[2] > 1 ? 3 : 2));
  return least;
}

// < 0 inside
static inline double liquid_distance(const grid_scene *s, const grid_recipe *r, const double *p) {
  if (r->closed) return -1.0;
  double height = r->fill;
  for (int k = 0; k < 4; k++)
    height += s->surface[k][0]*sin(s->surface[k][1]*p[0] + s->surface[k][2]*p[2] +
                                   s->surface[k][3] + 2.0*r->time*(k + 1));
  double least = r->ceiling ? 1.0 - height - p[1] + 0.1*p[0] : p[1] - height;
  for (int k = 0; k < r->drops; k++) {
    double drop[4];
    for (int c = 0; c < 4; c++) drop[c] = s->drop[k][c];
    drop[1] -= 0.5*r->time;
    least = fmin(least, ball_distance(drop, p, r->cells[2] > 1 ? 3 : 2));
  }
  return least;
}

static inline double scene_velocity(const grid_scene *s, const grid_recipe *r, const double *p,
                                    int d) {
  double u = d == 1 ? -0.5 : 0.0;
  for (int k = 0; k < 4; k++) {
    const double *w = s->wave[d][k];
    u += w[0]*sin(w[1]*p[0] + w[2]*p[1] + w[3]*p[2] + w[4] + r->time*w[5]);
  }
  return u;
}

static inline void scene_free(grid_scene *s) {
  free(s->type);
  for (int d = 0; d < 3; d++) free(s->face[d]);
  free(s->b);
  free(s->lo);
  free(s->hi);
  free(s->x);
}

// the face below cell (i, j, k) in direction d
static inline int32_t scene_face(const int32_t *cells, int d, int32_t i, int32_t j, int32_t k) {
  const int32_t nx = cells[0] + (d == 0), ny = cells[1] + (d == 1);
  return (k*ny + j)*nx + i;
}

static inline void scene_numbers(grid_scene *s, const grid_recipe *r) {
  uint64_t state = r->seed*977 + 11;
  for (int k = 0; k < 16; k++) {
    for (int c = 0; c < 3; c++) {
      s->ball[k][c] = scene_between(&state, 0.1, 0.9);
      s->drop[k][c] = scene_between(&state, 0.1, 0.9);
    }
    s->ball[k][3] = scene_between(&state, 0.04, 0.14);
    s->drop[k][3] = scene_between(&state, 0.03, 0.09);
  }
  for (int k = 0; k < 4; k++) {
    s->surface[k][0] = scene_between(&state, 0.0, 0.06);
    for (int c = 1; c < 3; c++) s->surface[k][c] = scene_between(&state, -8.0, 8.0)*(k + 1);
    s->surface[k][3] = scene_between(&state, 0.0, 6.3);
    for (int d = 0; d < 3; d++) {
      s->wave[d][k][0] = scene_between(&state, -0.6, 0.6)/(k + 1);
      for (int c = 1; c < 4; c++) s->wave[d][k][c] = scene_between(&state, -6.0, 6.0)*(k + 1);
      s->wave[d][k][4] = scene_between(&state, 0.0, 6.3);
      s->wave[d][k][5] = scene_between(&state, -3.0, 3.0);
    }
  }
}

static inline grid_scene scene_new(const grid_recipe *r) {
  grid_scene s = {.n = r->cells[0]*r->cells[1]*r->cells[2]};
  const int32_t *c = r->cells;
  const int flat = c[2] == 1;
  const int32_t longest = c[0] > c[1] ? (c[0] > c[2] ? c[0] : c[2]) : (c[1] > c[2] ? c[1] : c[2]);
  const double h = 1.0/longest;
  const size_t n = (size_t)s.n;
  scene_numbers(&s, r);
  s.type = calloc(n, 1);
  for (int d = 0; d < 3; d++) {
    const size_t layer = d == 0 ? (size_t)c[1]*(size_t)c[2]
                         : d == 1 ? (size_t)c[0]*(size_t)c[2] : (size_t)c[0]*(size_t)c[1];
    s.face[d] = calloc(n + layer, sizeof(double));
  }
  s.b = calloc(n, sizeof(double));
  s.lo = calloc(n, sizeof(double));
  s.hi = calloc(n, sizeof(double));
  s.x = calloc(n, sizeof(double));
  double *distance = calloc(n, sizeof(double));
  for (int32_t k = 0; k < c[2]; k++)
    for (int32_t j = 0; j < c[1]; j++)
      for (int32_t i = 0; i < c[0]; i++) {
        const double p[3] = {(i + 0.5)*h, (j + 0.5)*h, flat ? 0.5 : (k + 0.5)*h};
        const int32_t at = (k*c[1] + j)*c[0] + i;
        distance[at] = liquid_distance(&s, r, p);
        double open = 0.0;
        for (int d = 0; d < (flat ? 2 : 3); d++)
          for (int side = 0; side < 2; side++) {
            double q[3] = {p[0], p[1], p[2]};
            q[d] += (side - 0.5)*h;
            const double solid = solid_distance(&s, r, q);
            const double area = r->cut ? fmin(fmax(0.5 + solid/h, 0.0), 1.0) : solid > 0.0;
            const int32_t move[3] = {i + (d == 0)*side, j + (d == 1)*side, k + (d == 2)*side};
            const int edge = move[d] == 0 || move[d] == c[d];
            s.face[d][scene_face(c, d, move[0], move[1], move[2])] = edge ? 0.0 : area;
            if (!edge) open += area;
          }
        s.type[at] = open > 0.0 ? (distance[at] < 0.0 ? PERP_CELL_LIQUID : PERP_CELL_AIR)
                                : PERP_CELL_SOLID;
      }
  const int32_t stride[3] = {1, c[0], c[0]*c[1]};
  for (int32_t k = 0; k < c[2]; k++)
    for (int32_t j = 0; j < c[1]; j++)
      for (int32_t i = 0; i < c[0]; i++) {
        const int32_t at = (k*c[1] + j)*c[0] + i, place[3] = {i, j, k};
        if (s.type[at] != PERP_CELL_LIQUID) continue;
        s.liquid++;
        for (int d = 0; d < (flat ? 2 : 3); d++)
          for (int side = 0; side < 2; side++) {
            const int32_t move[3] = {i + (d == 0)*side, j + (d == 1)*side, k + (d == 2)*side};
            if (move[d] == 0 || move[d] == c[d]) continue;
            double p[3] = {(place[0] + 0.5)*h, (place[1] + 0.5)*h, flat ? 0.5 : (place[2] + 0.5)*h};
            p[d] += (side - 0.5)*h;
            double *face = &s.face[d][scene_face(c, d, move[0], move[1], move[2])];
            const int32_t other = at + (side ? stride[d] : -stride[d]);
            s.b[at] += (side ? 1.0 : -1.0)*fmin(*face, 1.0)*scene_velocity(&s, r, p, d)/h;
            if (r->ghost && s.type[other] == PERP_CELL_AIR && *face > 0.0) {
              const double theta = distance[at]/(distance[at] - distance[other]);
              *face = *face/fmin(fmax(theta, r->theta), 1.0);
            }
          }
      }
  free(distance);
  s.grid = (perp_grid){.cells = {c[0], c[1], c[2]}, .spacing = {h, h, h}, .type = s.type,
                       .face = {s.face[0], s.face[1], s.face[2]}};
  return s;
}

// Bounds, and the problem: after the scene has its place in memory.
static inline perp_problem *scene_problem(grid_scene *s, const grid_recipe *r) {
  perp_grid_bounds(&s->grid, r->every, s->lo, s->hi);
  s->problem = (perp_problem){.A = perp_from_grid(&s->grid, 0), .b = s->b, .lo = s->lo,
                              .hi = s->hi};
  return &s->problem;
}

// The entries of the matrix of a grid as perp.h defines it: A is n x n, row-major.
static inline void scene_dense(const perp_grid *g, double *A) {
  const int32_t *c = g->cells, n = c[0]*c[1]*c[2], stride[3] = {1, c[0], c[0]*c[1]};
  for (int32_t i = 0; i < n*n; i++) A[i] = 0.0;
  for (int32_t k = 0; k < c[2]; k++)
    for (int32_t j = 0; j < c[1]; j++)
      for (int32_t i = 0; i < c[0]; i++) {
        const int32_t at = (k*c[1] + j)*c[0] + i;
        if (g->type[at] != PERP_CELL_LIQUID) {
          A[at*n + at] = 1.0;
          continue;
        }
        for (int d = 0; d < 3; d++)
          for (int side = 0; side < 2; side++) {
            const int32_t move[3] = {i + (d == 0)*side, j + (d == 1)*side, k + (d == 2)*side};
            if (move[d] == 0 || move[d] == c[d]) continue;
            const int32_t other = at + (side ? stride[d] : -stride[d]);
            if (g->type[other] == PERP_CELL_SOLID) continue;
            const double face = g->face[d] != NULL
                                    ? g->face[d][scene_face(c, d, move[0], move[1], move[2])] : 1.0;
            const double w = face/(g->spacing[d]*g->spacing[d]);
            A[at*n + at] += w;
            if (g->type[other] == PERP_CELL_LIQUID) A[at*n + other] -= w;
          }
      }
}

#endif
