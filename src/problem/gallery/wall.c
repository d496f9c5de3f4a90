// wall.c: a ball hits a wall of bricks in running bond: J M^-1 J' + eps I, ill-conditioned.
//
// Bricks lie in courses, every other course starts and ends with half a brick. Where two bricks (or
// a brick and the ground) touch there are several contact points; four points already
// over-determine a face, so J M^-1 J' is singular and eps decides the condition number, as
// compliance does in physics engines. b = J(u + h M^-1 F) is the relative velocity that
// gravity and the ball would cause in one step.
// mode = mixed: each point has a row for its normal, 0 <= v _|_ w >= 0, then two free rows for its
// tangents, which stick: the shape of MNS08's problems. mode = normal: the normals alone.
#include "family.h"

#include <stdio.h>
#include <stdlib.h>

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

#define LENGTH 0.2           // of a brick, m
#define DEPTH 0.1
#define HEIGHT 0.1
#define DENSITY 2000.0       // kg/m^3
#define BALL_RADIUS 0.12
#define BALL_MASS 20.0
#define GRAVITY 9.81
#define STEP (1.0/60.0)
#define INSET 0.9            // contact points keep away from the edges

typedef struct brick { double from, to; int32_t course; } brick;   // along x, in brick lengths

typedef struct layout {
  int32_t bricks, points, mixed;
  double jitter;
  brick *brick;              // bricks
  int32_t faces;
  int32_t *below, *above;    // faces: the two bricks; below = -1 is the ground
  random_stream random;
} layout;

static void stack(layout *w) {
  int32_t width = 1;
  while ((int64_t)width*width < w->bricks) width++;
  int32_t k = 0;
  for (int32_t course = 0; k < w->bricks; course++) {
    const int32_t pieces = course%2 == 0 ? width : width + 1;
    for (int32_t i = 0; i < pieces && k < w->bricks; i++, k++) {
      const double from = course%2 == 0 ? i : i - 0.5;
      w->brick[k] = (brick){max2(from, 0.0), min2(from + 1.0, width), course};
    }
  }
}

static int touch(const brick *a, const brick *b) { return a->from < b->to && b->from < a->to; }

// Faces by brick: its supports from left to right. At most two, or the ground.
static void find_faces(layout *w) {
  int32_t first = 0;   // the first brick of the course below that may still touch
  w->faces = 0;
  for (int32_t k = 0; k < w->bricks; k++) {
    const brick *top = &w->brick[k];
    if (top->course == 0) {
      w->below[w->faces] = -1;
      w->above[w->faces++] = k;
      continue;
    }
    while (w->brick[first].course < top->course - 1) first++;
    for (int32_t i = first; w->brick[i].course == top->course - 1; i++) {
      if (!touch(&w->brick[i], top)) continue;
      w->below[w->faces] = i;
      w->above[w->faces++] = k;
    }
  }
}

static void centre(const brick *b, double c[3]) {
  c[0] = LENGTH*0.5*(b->from + b->to);
  c[1] = 0.0;
  c[2] = HEIGHT*(b->course + 0.5);
}

static double wobble(layout *w) { return w->jitter*random_range(&w->random, -1.0, 1.0); }

// Point p of the rectangle [-1,1]^2: one in the middle, two along the wall, more in two rows.
static void spread(int32_t p, int32_t points, double *x, double *y) {
  const int32_t rows = points > 2 ? 2 : 1, columns = (points + rows - 1)/rows;
  *x = columns > 1 ? -1.0 + 2.0*(p/rows)/(columns - 1) : 0.0;
  *y = rows > 1 ? (p%rows == 0 ? -1.0 : 1.0) : 0.0;
}

// The rows of one contact point at r with the normal n towards b: one, or three with both tangents.
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
    if (bottom != NULL) centre(bottom, ca);
    centre(top, cb);
    for (int32_t p = 0; p < w->points; p++) {
      double x, y;
      spread(p, w->points, &x, &y);
      const double half = 0.5*LENGTH*(to - from);
      const double r[3] = {0.5*LENGTH*(from + to) + half*(INSET*x + 0.5*wobble(w)),
                           0.5*DEPTH*(INSET*y + 0.5*wobble(w)), HEIGHT*top->course};
      row = add_point(w, c, row, w->below[f], w->above[f], r, ca, cb, up);
    }
  }
  const int32_t hit = w->bricks/2;   // the ball comes from the front
  double ca[3], cb[3], r[3];
  centre(&w->brick[hit], ca);
  for (int32_t d = 0; d < 3; d++) r[d] = ca[d];
  r[0] += 0.25*LENGTH*(w->brick[hit].to - w->brick[hit].from);
  r[1] -= 0.5*DEPTH;
  r[2] += 0.25*HEIGHT;
  for (int32_t d = 0; d < 3; d++) cb[d] = r[d];
  cb[1] -= BALL_RADIUS;
  add_point(w, c, row, hit, w->bricks, r, ca, cb, front);
}

static void set_masses(layout *w, double *W) {
  for (int32_t k = 0; k < w->bricks; k++) {
    const double length = LENGTH*(w->brick[k].to - w->brick[k].from);
    const double mass = DENSITY*length*DEPTH*HEIGHT*(1.0 + wobble(w));
    const double side[3] = {length*length, DEPTH*DEPTH, HEIGHT*HEIGHT};
    for (int32_t d = 0; d < 3; d++) {
      W[6*(size_t)k + (size_t)d] = 1.0/mass;
      W[6*(size_t)k + 3 + (size_t)d] = 12.0/(mass*(side[(d + 1)%3] + side[(d + 2)%3]));
    }
  }
  for (int32_t d = 0; d < 3; d++) {
    W[6*(size_t)w->bricks + (size_t)d] = 1.0/BALL_MASS;
    W[6*(size_t)w->bricks + 3 + (size_t)d] = 1.0/(0.4*BALL_MASS*BALL_RADIUS*BALL_RADIUS);
  }
}

// b = J(u + h M^-1 F): gravity on everything, the ball's velocity, a little unrest in the bricks.
static perp_error set_velocities(layout *w, const delassus *c, double speed, perp_sample *s) {
  double *u = assemble_take(6*(int64_t)c->bodies, sizeof *u);
  if (u == NULL) return assemble_no_memory(s->n, 0);
  for (int32_t k = 0; k < c->bodies; k++) {
    for (int32_t d = 0; d < 3; d++) u[6*(size_t)k + (size_t)d] = 0.1*wobble(w);
    u[6*(size_t)k + 2] -= STEP*GRAVITY;
  }
  double *ball = u + 6*(size_t)w->bricks;
  ball[0] += 0.1*speed;
  ball[1] += speed;
  for (int32_t i = 0; i < s->n; i++) s->b[i] = delassus_speed(c, i, u);
  free(u);
  return PERP_OK;
}

// More rows than degrees of freedom that they touch: then J W J' is singular without a doubt.
static perp_error is_redundant(const delassus *c, int *redundant) {
  char *seen = assemble_take(6*(int64_t)c->bodies, sizeof *seen);
  if (seen == NULL) return assemble_no_memory(c->rows, 0);
  int32_t touched = 0;
  for (int64_t k = 0; k < 12*(int64_t)c->rows; k++) {
    const int32_t row = (int32_t)(k/12), part = (int32_t)(k%12);
    const int32_t body = part < 6 ? c->a[row] : c->b[row];
    if (body < 0 || c->J[k] == 0.0) continue;
    char *flag = &seen[6*(size_t)body + (size_t)(part%6)];
    touched += !*flag;
    *flag = 1;
  }
  free(seen);
  *redundant = c->rows > touched;
  return PERP_OK;
}

static perp_error regularise(const delassus *c, const double *values, perp_sample *s, double *eps) {
  double smallest = 0.0, largest = 0.0;
  int redundant = 0;
  perp_error error = is_redundant(c, &redundant);
  if (error == PERP_OK) error = spectrum_extremes(s, redundant ? 60 : 200, &smallest, &largest);
  if (error != PERP_OK) return error;
  if (redundant || smallest < 0.0) smallest = 0.0;
  double diagonal = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      if (s->row[k] == j) diagonal = max2(diagonal, s->value[k]);
    }
  }
  *eps = values[EPS] > 0.0 ? values[EPS]*diagonal : largest/(values[CONDITION] - 1.0);
  for (int32_t j = 0; j < s->n; j++) {
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      if (s->row[k] == j) s->value[k] += *eps;
    }
  }
  s->condition = (largest + *eps)/(smallest + *eps);
  s->problem.A.claims = FAMILY_CLAIM_SPD;
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
    stack(&w);
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
  if (error == PERP_OK) error = regularise(&c, values, s, &eps);
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
    snprintf(s->note, sizeof s->note,
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
