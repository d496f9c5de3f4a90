// bricks.c: generates a collapsing wall of bricks with a given number of bodies and constraints.
//
// The presets have the names and sizes of the scenes of MNS08, whose data were never published.
// A ball hits a wall in running bond that is falling apart. Some bricks have left their places and
// lie on the ground or fly. The others have turned a little and still touch at some of their
// joints, with `points` contact points each. The rows of two points of a joint are already
// dependent, so J M^-1 J' is singular. The compliance eps sets the condition number of
//     Q = J M^-1 J' + eps I,   b = J(u/h + M^-1 F).
// The unknowns are forces and accelerations, as in the Open Dynamics Engine, which made MNS08's
// scenes. The blast drives bricks near the ball apart, u = blast (c - c_ball), and makes fallen
// bricks bounce, which opens their contacts. The other bricks stand under their weight.
// mode = mixed: MNS08 (1.1). The first rows are two free rows per point for its tangents (u), then
// follows one row per point for its normal, 0 <= v _|_ w >= 0.
// mode = normal: normals only. A preset then has as many normals as the paper has rows, in a wall
// that stands, which is harder.
#include "family.h"

#include <stdlib.h>

#include "plain.h"

enum {
  PRESET, BODIES, CONSTRAINTS, MODE, POINTS, LOOSE, BLAST, SPREAD, UNREST, SPEED, CONDITION, EPS,
  BUILT, DEGENERATE
};

// MNS08 Table 1. Bodies, constraints and condition number are the paper's. The values of points,
// loose, blast and spread bring the number of entries of Q and of rows at v = 0 near Tables 1 and
// 2. The ball and the bricks are about as slow as gravity makes them in a step. Such scenes are
// hard for sweeps, as the paper's scenes were.
#define MNS08_SCENES(X)                                    \
  X("nb7_nc18",       7,   18, 5.83e1, 3, 0.00, 5.00, 1.00) \
  X("nb8_nc45",       8,   45, 2.92e3, 2, 0.00, 1.00, 1.00) \
  X("nb8_nc48",       8,   48, 2.38e3, 2, 0.00, 1.00, 1.00) \
  X("nb235_nc1044", 235, 1044, 4.58e4, 4, 0.70, 0.02, 0.10) \
  X("nb449_nc1821", 449, 1821, 4.22e4, 3, 0.60, 0.02, 0.30) \
  X("nb907_nc5832", 907, 5832, 5.11e7, 3, 0.10, 0.03, 0.70) \
  X("nb948_nc7344", 948, 7344, 9.02e7, 3, 0.15, 0.02, 0.90) \
  X("nb966_nc8220", 966, 8220, 9.19e7, 5, 0.10, 0.02, 1.00) \
  X("nb976_nc8745", 976, 8745, 6.45e7, 4, 0.15, 0.02, 0.95) \
  X("nb977_nc9534", 977, 9534, 1.03e8, 5, 0.15, 0.03, 1.00)

typedef struct preset {
  double bodies, constraints, condition, points, loose, blast, spread;
} preset;

static const preset presets[] = {
#define ROW(name, bodies, constraints, condition, points, loose, blast, spread) \
  {bodies, constraints, condition, points, loose, blast, spread},
  MNS08_SCENES(ROW)
#undef ROW
};

#define NAME(name, ...) "|" name
static const perp_gallery_parameter parameters[] = {
  FAMILY_CHOICE("preset", 0, FAMILY_COUNT(presets), "none" MNS08_SCENES(NAME),
                "a scene of MNS08 Table 1, which decides everything but mode, eps and built"),
  FAMILY_WHOLE("bodies", 20, 2, 100000, "the ball and the bricks"),
  FAMILY_WHOLE("constraints", 90, 1, 4000000, "rows; three a contact point where mode = mixed"),
  FAMILY_CHOICE("mode", 1, 1, "normal|mixed",
                "normal rows only, or two free tangential rows and a normal one a point"),
  FAMILY_WHOLE("points", 4, 1, 16, "contact points a joint, more where joints are too few"),
  FAMILY_REAL("loose", 0.1, 0, 1, "share of bricks that have left the wall: they lie or fly"),
  FAMILY_REAL("blast", 5, 0, 1000, "speed at which bricks near the ball part, in m/s a metre"),
  FAMILY_REAL("spread", 0.5, 0, 1, "share of the wall that the blast reaches"),
  FAMILY_REAL("unrest", 0.02, 0, 1000, "random velocities of the bricks, in m/s and rad/s"),
  FAMILY_REAL("speed", 5, 0, 1000, "of the ball, in m/s"),
  FAMILY_REAL("condition", 1e6, 10, 1e12, "condition number to aim at, by the choice of eps"),
  FAMILY_REAL("eps", 0, 0, 1, "eps over the largest diagonal entry; 0: chosen from condition"),
  FAMILY_BUILT, FAMILY_DEGENERATE,
};
#undef NAME

static const struct disorder {
  double tilt;               // rad; bricks and joints are turned by about this around each axis
  double jitter;             // relative variation of masses and contact points
} disorder = {.tilt = 0.15, .jitter = 0.1};

typedef struct joint {
  int32_t a, b;              // two bricks; a = -1 is the ground
  int32_t points;            // 0: the joint is open
  int32_t upright;           // 1: between neighbours in a course; 0: between courses
} joint;

typedef struct scene {
  int32_t bricks, points, mixed;
  brick *brick;              // bricks
  double (*turn)[9];         // bricks: the brick's axes in columns, stored by rows
  char *fell;                // bricks: 1 if it has left its place
  joint *joint;              // joints
  int32_t joints;
  int32_t loose;             // bricks
  int32_t courses;           // courses of the whole wall
  int32_t singular;          // 1: a joint has more rows than relative motions
  random_stream random;
} scene;

static double offset(scene *w, double size) { return size*random_range(&w->random, -1.0, 1.0); }

// R: a rotation by a small random angle, the quaternion (1, t)/|(1, t)| with random t.
static void tilt(scene *w, double R[9]) {
  double t[3];
  for (int32_t d = 0; d < 3; d++) t[d] = offset(w, 0.5*disorder.tilt);
  const double s = 1.0/(1.0 + dot(3, t, t)), x = t[0], y = t[1], z = t[2];
  const double full[9] = {1.0 + x*x - y*y - z*z, 2.0*(x*y - z), 2.0*(x*z + y),
                          2.0*(x*y + z), 1.0 - x*x + y*y - z*z, 2.0*(y*z - x),
                          2.0*(x*z - y), 2.0*(y*z + x), 1.0 - x*x - y*y + z*z};
  for (int32_t k = 0; k < 9; k++) R[k] = s*full[k];
}

// ----------------------------------------------------------------------------------------- joints

// Lists the joints between bricks that are in their places, and the joints with the ground.
static void find_joints(scene *w, double loose) {
  int32_t first = 0, below[2];
  for (int32_t k = 0; k < w->bricks; k++) {
    w->fell[k] = random_uniform(&w->random) < loose;
    w->loose += w->fell[k];
  }
  for (int32_t k = 0; k < w->bricks; k++) {
    const int32_t count = masonry_supports(w->brick, k, &first, below);
    if (w->fell[k]) {
      w->joint[w->joints++] = (joint){-1, k, 0, 0};
      continue;
    }
    for (int32_t i = 0; i < count; i++) {
      if (below[i] >= 0 && w->fell[below[i]]) continue;
      w->joint[w->joints++] = (joint){below[i], k, 0, 0};
    }
    if (k > 0 && w->brick[k - 1].course == w->brick[k].course && !w->fell[k - 1]) {
      w->joint[w->joints++] = (joint){k - 1, k, 0, 1};
    }
  }
  for (int32_t k = 0; k < w->bricks; k++) {
    if (w->fell[k]) w->brick[k].course = 0;
  }
}

// Distributes the points over random joints, `wish` each. All sets of joints are equally likely.
static perp_error choose_joints(scene *w, int32_t wish) {
  int32_t left = w->points - 1;                  // one point belongs to the ball
  const int64_t room = (int64_t)parameters[POINTS].high*w->joints;
  if (left > room) {
    return error_set(PERP_ERROR_OPTION,
                     "bricks: %d contact points, but %d joints have room for %lld: choose fewer "
                     "constraints, more bodies, or less loose",
                     w->points, w->joints, (long long)room + 1);
  }
  while ((int64_t)wish*w->joints < left) wish++;
  int32_t needed = (left + wish - 1)/wish;
  for (int32_t f = 0; f < w->joints && needed > 0; f++) {
    if (random_integer(&w->random, w->joints - f) >= needed) continue;
    needed--;
    w->joint[f].points = left < wish ? left : wish;
    left -= w->joint[f].points;
    // The rows of two points have rank 5 at most, because no row changes with a spin around the
    // line through both. Any number of parallel normals has rank 3 at most.
    w->singular |= w->joint[f].points > (w->mixed ? 1 : 3);
  }
  return PERP_OK;
}

// ------------------------------------------------------------------------------------------- rows

// Sets contact point p at r. The columns of F are its axes; the first is the normal towards b.
static void set_point(const scene *w, delassus *c, int32_t p, int32_t a, int32_t b,
                      const double r[3], const double ca[3], const double cb[3],
                      const double F[9]) {
  double ra[3], rb[3];
  for (int32_t d = 0; d < 3; d++) {
    ra[d] = r[d] - ca[d];
    rb[d] = r[d] - cb[d];
  }
  for (int32_t k = 0; k < (w->mixed ? 3 : 1); k++) {
    const int32_t row = !w->mixed ? p : k == 0 ? 2*w->points + p : 2*p + k - 1;
    const double d[3] = {F[k], F[3 + k], F[6 + k]};
    delassus_set(c, row, a, b, d, ra, rb);
    // Spins are in the brick's own axes, so that W is diagonal.
    for (int32_t side = 0; side < 2; side++) {
      const int32_t body = side == 0 ? a : b;
      if (body < 0 || body >= w->bricks) continue;
      double *J = c->J + 12*(size_t)row + 6*side + 3;
      const double *R = w->turn[body], s[3] = {J[0], J[1], J[2]};
      for (int32_t e = 0; e < 3; e++) J[e] = R[e]*s[0] + R[3 + e]*s[1] + R[6 + e]*s[2];
    }
  }
}

// F: the axes in the order normal, tangent, tangent, turned by a small random angle.
static void set_axes(scene *w, int32_t normal, double F[9]) {
  double R[9];
  tilt(w, R);
  for (int32_t k = 0; k < 3; k++) {
    for (int32_t d = 0; d < 3; d++) F[3*d + k] = R[3*d + (normal + k)%3];
  }
}

static int32_t set_joint(scene *w, delassus *c, int32_t p, const joint *f) {
  const brick *b = &w->brick[f->b], *a = f->a >= 0 ? &w->brick[f->a] : NULL;
  double ca[3] = {0.0, 0.0, 0.0}, cb[3], F[9];
  if (a != NULL) masonry_centre(a, ca);
  masonry_centre(b, cb);
  set_axes(w, f->upright ? 0 : 2, F);
  const double from = a != NULL ? max2(a->from, b->from) : b->from;
  const double to = a != NULL ? min2(a->to, b->to) : b->to;
  for (int32_t i = 0; i < f->points; i++) {
    double x, y;
    masonry_spread(i, f->points, &x, &y);
    x = masonry.inset*x + offset(w, 0.5*disorder.jitter);
    y = masonry.inset*y + offset(w, 0.5*disorder.jitter);
    double r[3] = {0.5*masonry.length*(from + to), 0.5*masonry.depth*y, masonry.height*b->course};
    if (f->upright) r[2] += 0.5*masonry.height*(1.0 + x);
    else r[0] += 0.5*masonry.length*(to - from)*x;
    set_point(w, c, p++, f->a, f->b, r, ca, cb, F);
  }
  return p;
}

// The brick in the middle, or if it has left its place the next one that has not.
static int32_t hit_brick(const scene *w) {
  int32_t k = w->bricks/2;
  while (k < w->bricks - 1 && w->fell[k]) k++;
  return k;
}

static void set_rows(scene *w, delassus *c) {
  static const double front[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1};   // normal -y, tangents x and z
  int32_t p = 0;
  for (int32_t f = 0; f < w->joints; f++) {
    if (w->joint[f].points > 0) p = set_joint(w, c, p, &w->joint[f]);
  }
  const brick *struck = &w->brick[hit_brick(w)];
  double ca[3], cb[3], r[3];
  masonry_centre(struck, ca);
  masonry_ball(struck, r, cb, c->W + 6*(size_t)w->bricks);
  set_point(w, c, p, hit_brick(w), w->bricks, r, ca, cb, front);
}

// b = J(u/h + M^-1 F) from gravity, the ball's velocity, small random velocities, and the blast
// within a rectangle around the ball that covers the share `spread` of the wall.
static perp_error set_right_side(scene *w, const delassus *c, const double *values,
                                 perp_sample *s) {
  double *u = assemble_take(6*(int64_t)c->bodies, sizeof *u);   // u/h + M^-1 F
  if (u == NULL) return assemble_no_memory(s->n, 0);
  double middle[3], at[3];
  masonry_centre(&w->brick[hit_brick(w)], middle);
  const double reach = sqrt(values[SPREAD]);
  const double width = reach*(0.5*masonry.length*sqrt((double)w->bricks) + masonry.length);
  const double height = reach*(0.5*masonry.height*w->courses + masonry.height);
  for (int32_t k = 0; k < c->bodies; k++) {
    double *uk = u + 6*(size_t)k;
    for (int32_t d = 0; d < 6; d++) uk[d] = offset(w, values[UNREST])/masonry.step;
    uk[2] -= family_bodies.gravity;
    if (k == w->bricks) continue;
    masonry_centre(&w->brick[k], at);
    const double dx = at[0] - middle[0];
    // Fallen bricks bounce upwards.
    const double dz = w->fell[k] ? fabs(at[2] - middle[2]) : at[2] - middle[2];
    if (fabs(dx) > width || fabs(dz) > height) continue;
    uk[0] += values[BLAST]*dx/masonry.step;
    uk[2] += values[BLAST]*dz/masonry.step;
  }
  double *ball = u + 6*(size_t)w->bricks;
  ball[0] += 0.1*values[SPEED]/masonry.step;
  ball[1] += values[SPEED]/masonry.step;
  for (int32_t i = 0; i < s->n; i++) s->b[i] = delassus_speed(c, i, u);
  free(u);
  return PERP_OK;
}

// --------------------------------------------------------------------------------------- generate

static perp_error build(scene *w, const double *values, perp_sample *s) {
  delassus c = {0};
  double eps = 0.0;
  masonry_stack(w->bricks, w->brick);
  w->courses = w->brick[w->bricks - 1].course + 1;
  find_joints(w, values[LOOSE]);
  perp_error error = choose_joints(w, (int32_t)values[POINTS]);
  if (error == PERP_OK) error = delassus_take(&c, (int32_t)values[CONSTRAINTS], w->bricks + 1);
  if (error == PERP_OK) {
    for (int32_t k = 0; k < w->bricks; k++) tilt(w, w->turn[k]);
    set_rows(w, &c);
    for (int32_t k = 0; k < w->bricks; k++) {
      masonry_mass(&w->brick[k], 1.0 + offset(w, disorder.jitter), c.W + 6*(size_t)k);
    }
    error = delassus_product(&c, s);
  }
  if (error == PERP_OK) error = set_right_side(w, &c, values, s);
  if (error == PERP_OK) {
    error = masonry_compliance(&c, w->singular, values[CONDITION], values[EPS], s, &eps);
  }
  if (error == PERP_OK) error = delassus_factors(&c, eps, s);
  delassus_free(&c);
  if (error != PERP_OK) return error;
  plain_print(s->note, sizeof s->note,
              "%d bodies (%d loose), %d contact points, %d rows, eps %.3g, condition %.3g (estimated)",
              w->bricks + 1, w->loose, w->points, s->n, eps, s->condition);
  return PERP_OK;
}

static perp_error set_free_rows(const scene *w, perp_sample *s) {
  s->lo = assemble_take(s->n, sizeof *s->lo);
  if (s->lo == NULL) return assemble_no_memory(s->n, 0);
  for (int32_t i = 0; i < 2*w->points; i++) s->lo[i] = -(double)INFINITY;
  return PERP_OK;
}

static void use_preset(const preset *p, double *values) {
  values[BODIES] = p->bodies;
  values[CONSTRAINTS] = p->constraints;
  values[CONDITION] = p->condition;
  values[POINTS] = p->points;
  values[LOOSE] = values[MODE] == 1.0 ? p->loose : 0.0;
  values[BLAST] = p->blast;
  values[SPREAD] = p->spread;
  values[UNREST] = 0.001;   // m/s and rad/s
  values[SPEED] = 0.1;      // m/s
}

static perp_error bricks(const double *given, uint64_t seed, perp_sample *s) {
  double values[FAMILY_COUNT(parameters)];
  for (int32_t k = 0; k < FAMILY_COUNT(parameters); k++) values[k] = given[k];
  if (values[PRESET] > 0.0) use_preset(&presets[(int32_t)values[PRESET] - 1], values);
  const int32_t mixed = values[MODE] == 1.0, rows = (int32_t)values[CONSTRAINTS];
  if (mixed && rows%3 != 0) {
    return error_set(PERP_ERROR_OPTION,
                     "bricks: constraints = %d is not a multiple of 3, the rows of a contact point",
                     rows);
  }
  scene w = {.bricks = (int32_t)values[BODIES] - 1, .points = mixed ? rows/3 : rows,
             .mixed = mixed, .random = family_stream(seed, 0)};
  w.brick = assemble_take((int64_t)w.bricks + 1, sizeof *w.brick);
  w.turn = assemble_take(w.bricks, sizeof *w.turn);
  w.fell = assemble_take(w.bricks, sizeof *w.fell);
  w.joint = assemble_take(3*(int64_t)w.bricks, sizeof *w.joint);
  const int complete = w.brick != NULL && w.turn != NULL && w.fell != NULL && w.joint != NULL;
  perp_error error = complete ? build(&w, values, s) : assemble_no_memory(rows, 0);
  if (error == PERP_OK && mixed) error = set_free_rows(&w, s);
  if (error == PERP_OK && values[BUILT] == 1.0) {
    random_stream answer = family_stream(seed, 1);
    error = answer_build(s, values[DEGENERATE], &answer);
  }
  free(w.brick);
  free(w.turn);
  free(w.fell);
  free(w.joint);
  return error;
}

const perp_family family_bricks = {
  "bricks", "impulses in a wall of bricks that falls apart: the scenes of MNS08",
  "with built = 1, by construction; unique in any case",
  parameters, FAMILY_COUNT(parameters), bricks};
