// wall.c: generates a wall of bricks in running bond that a ball hits: J M^-1 J' + eps I.
//
// Bricks lie in courses; every other course starts and ends with half a brick. The face where two
// bricks (or a brick and the ground) touch has several contact points. The rows of four points are
// already dependent, because parallel normals have rank 3, so J M^-1 J' is singular. eps sets the
// condition number, as compliance does in physics engines. b = J(u + h M^-1 F) is the relative
// velocity that gravity and the ball would cause in one step.
// mode = mixed: each point has a row for its normal, 0 <= v _|_ w >= 0, then two free rows for its
// tangents, because points stick, as in MNS08's problems. mode = normal: normals only.
#include "family.h"

#include <stdlib.h>

#include "plain.h"

enum { BODIES, POINTS, MODE, CONDITION, EPS, JITTER, SPEED, BUILT, DEGENERATE };

static const perp_gallery_parameter parameters[] = {
  FAMILY_WHOLE("bodies", 60, 1, 100000, "bricks; the ball is one more body"),
  FAMILY_WHOLE("points", 4, 1, 16, "contact points per face"),
  FAMILY_CHOICE("mode", 1, 1, "normal|mixed",
                "normal rows only, or a normal and two free tangential rows a point"),
  FAMILY_REAL("condition", 1e6, 10, 1e12, "condition number to aim at, by the choice of eps"),
  FAMILY_REAL("eps", 0, 0, 1, "eps over the largest diagonal entry; 0: chosen from condition"),
  FAMILY_REAL("jitter", 0.02, 0, 0.2, "relative variation of masses and contact points"),
  FAMILY_REAL("speed", 5, 0, 1000, "of the ball, in m/s"),
  FAMILY_BUILT, FAMILY_DEGENERATE,
};

typedef struct layout {
  int32_t bricks, points, mixed;
  double jitter;
  brick *brick;              // bricks
  int32_t faces;
  int32_t *below, *above;    // faces: the two bricks; below = -1 is the ground
  random_stream random;
} layout;

// Lists the faces brick by brick: each brick's supports from left to right.
static void find_faces(layout *w) {
  int32_t first = 0, below[2];
  w->faces = 0;
  for (int32_t k = 0; k < w->bricks; k++) {
    const int32_t count = masonry_supports(w->brick, k, &first, below);
    for (int32_t i = 0; i < count; i++) {
      w->below[w->faces] = below[i];
      w->above[w->faces++] = k;
    }
  }
}

static double offset(layout *w) { return w->jitter*random_range(&w->random, -1.0, 1.0); }

// Adds the rows of a contact point at r: its normal axes[0] towards b and, if mixed, two tangents.
static int32_t add_point(const layout *w, delassus *c, int32_t row, int32_t a, int32_t b,
                         const double r[3], const double ca[3], const double cb[3],
                         const double axes[3][3]) {
  double ra[3], rb[3];
  for (int32_t d = 0; d < 3; d++) {
    ra[d] = r[d] - ca[d];
    rb[d] = r[d] - cb[d];
  }
  for (int32_t k = 0; k < (w->mixed ? 3 : 1); k++) delassus_set(c, row++, a, b, axes[k], ra, rb);
  return row;
}

static void set_rows(layout *w, delassus *c) {
  static const double up[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};       // normal, then tangents
  static const double front[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
  int32_t row = 0;
  for (int32_t f = 0; f < w->faces; f++) {
    const brick *top = &w->brick[w->above[f]];
    const brick *bottom = w->below[f] >= 0 ? &w->brick[w->below[f]] : NULL;
    const double from = bottom != NULL ? max2(top->from, bottom->from) : top->from;
    const double to = bottom != NULL ? min2(top->to, bottom->to) : top->to;
    double ca[3] = {0.0, 0.0, 0.0}, cb[3];
    if (bottom != NULL) masonry_centre(bottom, ca);
    masonry_centre(top, cb);
    for (int32_t p = 0; p < w->points; p++) {
      double x, y;
      masonry_spread(p, w->points, &x, &y);
      const double half = 0.5*masonry.length*(to - from);
      const double r[3] = {0.5*masonry.length*(from + to) + half*(masonry.inset*x + 0.5*offset(w)),
                           0.5*masonry.depth*(masonry.inset*y + 0.5*offset(w)),
                           masonry.height*top->course};
      row = add_point(w, c, row, w->below[f], w->above[f], r, ca, cb, up);
    }
  }
  const int32_t hit = w->bricks/2;   // the brick that the ball hits, from the front
  double ca[3], cb[3], r[3];
  masonry_centre(&w->brick[hit], ca);
  masonry_ball(&w->brick[hit], r, cb, c->W + 6*(size_t)w->bricks);
  add_point(w, c, row, hit, w->bricks, r, ca, cb, front);
}

static void set_masses(layout *w, double *W) {
  for (int32_t k = 0; k < w->bricks; k++) {
    masonry_mass(&w->brick[k], 1.0 + offset(w), W + 6*(size_t)k);
  }
}

// b = J(u + h M^-1 F) from gravity, the ball's velocity and small random velocities of the bricks.
static perp_error set_velocities(layout *w, const delassus *c, double speed, perp_sample *s) {
  double *u = assemble_take(6*(int64_t)c->bodies, sizeof *u);
  if (u == NULL) return assemble_no_memory(s->n, 0);
  for (int32_t k = 0; k < c->bodies; k++) {
    for (int32_t d = 0; d < 3; d++) u[6*(size_t)k + (size_t)d] = 0.1*offset(w);
    u[6*(size_t)k + 2] -= masonry.step*family_bodies.gravity;
  }
  double *ball = u + 6*(size_t)w->bricks;
  ball[0] += 0.1*speed;
  ball[1] += speed;
  for (int32_t i = 0; i < s->n; i++) s->b[i] = delassus_speed(c, i, u);
  free(u);
  return PERP_OK;
}

static perp_error wall(const double *values, uint64_t seed, perp_sample *s) {
  layout w = {.bricks = (int32_t)values[BODIES], .points = (int32_t)values[POINTS],
              .mixed = values[MODE] == 1.0, .jitter = values[JITTER],
              .random = family_stream(seed, 0)};
  delassus c = {0};
  w.brick = assemble_take((int64_t)w.bricks + 1, sizeof *w.brick);
  w.below = assemble_take(3*(int64_t)w.bricks, sizeof *w.below);
  w.above = assemble_take(3*(int64_t)w.bricks, sizeof *w.above);
  const int complete = w.brick != NULL && w.below != NULL && w.above != NULL;
  perp_error error = complete ? PERP_OK : assemble_no_memory(w.bricks, 0);
  if (error == PERP_OK) {
    masonry_stack(w.bricks, w.brick);
    find_faces(&w);
    error = delassus_take(&c, (w.mixed ? 3 : 1)*((int64_t)w.faces*w.points + 1), w.bricks + 1);
  }
  double eps = 0.0;
  if (error == PERP_OK) {
    set_rows(&w, &c);
    set_masses(&w, c.W);
    error = delassus_product(&c, s);
  }
  if (error == PERP_OK) error = set_velocities(&w, &c, values[SPEED], s);
  if (error == PERP_OK) {
    error = masonry_compliance(&c, 0, values[CONDITION], values[EPS], s, &eps);
  }
  if (error == PERP_OK) error = delassus_factors(&c, eps, s);
  if (error == PERP_OK && w.mixed) {
    s->lo = assemble_take(s->n, sizeof *s->lo);
    if (s->lo == NULL) error = assemble_no_memory(s->n, 0);
    for (int32_t i = 0; error == PERP_OK && i < s->n; i++) {
      s->lo[i] = i%3 == 0 ? 0.0 : -(double)INFINITY;
    }
  }
  if (error == PERP_OK && values[BUILT] == 1.0) {
    random_stream answer = family_stream(seed, 1);
    error = answer_build(s, values[DEGENERATE], &answer);
  }
  if (error == PERP_OK) {
    plain_print(s->note, sizeof s->note,
                "%d bricks, a ball, %d contact points, %d rows, eps %.3g, condition %.3g (estimated)",
                w.bricks, w.faces*w.points + 1, s->n, eps, s->condition);
  }
  free(w.brick);
  free(w.below);
  free(w.above);
  delassus_free(&c);
  return error;
}

const perp_family family_wall = {
  "wall", "impulses in a wall of bricks that a ball hits",
  "with built = 1, by construction; unique in any case",
  parameters, FAMILY_COUNT(parameters), wall};
