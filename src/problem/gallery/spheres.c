// spheres.c: generates the contact LCP with Coulomb friction on a settled heap of spheres.
//
//     [ Bnn  Bnt  0 ] [ ln ]   [ bn ]
//     [ Btn  Btt  E ] [ lt ] + [ bt ]  >= 0   _|_   (ln, lt, beta) >= 0                E13 (27)
//     [ mu   -E'  0 ] [beta]   [ 0  ]
//
// corrected: B = J M^-1 J', b = J(u + h M^-1 F) with the impulse +J'l; bn includes the gap over h.
//
// With nc contacts and K directions, the variables of contact c are ln at c, lt of direction k at
// nc + K c + k, and beta (the sliding speed) at nc + K nc + c. The K directions are 2 pi/K apart,
// so they span the tangent plane positively. For even K opposite directions are exactly opposite.
// The inertia of a sphere is I = 2/5 m r^2.
#include "family.h"

#include <stdlib.h>

#include "plain.h"

enum { BODIES, MU, DIRECTIONS, MARGIN, EPS, SPEED, BUILT };

static const perp_gallery_parameter parameters[] = {
  FAMILY_WHOLE("bodies", 20, 1, 20000, "spheres"),
  FAMILY_REAL("mu", 0.5, 0, 10, "coefficient of friction"),
  FAMILY_WHOLE("K", 4, 3, 32, "directions of the friction pyramid"),
  FAMILY_REAL("margin", 0.02, 0, 0.5, "pairs closer than this times the mean radius are contacts"),
  FAMILY_REAL("eps", 0, 0, 1, "compliance over the largest diagonal entry of B"),
  FAMILY_REAL("speed", 0.3, 0, 100, "random velocities up to this, m/s"),
  FAMILY_BUILT,
};

static const struct { double radius, step; } data = {0.05, 0.01};   // m, mean; s

typedef struct sphere { double c[3], r; int32_t next; } sphere;   // next lower one in its cell

typedef struct heap {
  int32_t count;             // spheres
  int32_t side;              // cells along a side of the floor; touching spheres are in 3 x 3 cells
  double width;              // m, of the box
  sphere *sphere;            // count
  int32_t *cell;             // side x side: the highest sphere there, or -1
  random_stream random;
} heap;

static int32_t column(const heap *h, double x) {
  return (int32_t)clamp(floor(x/h->width*h->side), 0.0, h->side - 1.0);
}

// The height at which a sphere of radius r that falls at (x, y) meets the floor or a sphere.
static double landing(const heap *h, double x, double y, double r) {
  const double reach_max = r + 1.2*data.radius;
  double z = r;
  const int32_t cx = column(h, x), cy = column(h, y);
  for (int32_t i = cy - 1; i <= cy + 1; i++) {
    for (int32_t j = cx - 1; j <= cx + 1; j++) {
      if (i < 0 || i >= h->side || j < 0 || j >= h->side) continue;
      for (int32_t k = h->cell[i*h->side + j]; k >= 0; k = h->sphere[k].next) {
        const sphere *o = &h->sphere[k];
        const double reach = r + o->r, dx = x - o->c[0], dy = y - o->c[1];
        const double rest = reach*reach - dx*dx - dy*dy;
        if (o->c[2] + reach_max <= z) break;         // all further spheres are lower
        if (rest > 0.0) z = max2(z, o->c[2] + sqrt(rest));
      }
    }
  }
  return z;
}

// Drops each sphere at the lowest of a few places and lets it roll down: a random search with
// shrinking steps finds a local minimum of the landing height. There it rests on other spheres,
// walls or the floor.
static void settle(heap *h) {
  for (int32_t k = 0; k < h->side*h->side; k++) h->cell[k] = -1;
  for (int32_t k = 0; k < h->count; k++) {
    const double r = data.radius*random_range(&h->random, 0.8, 1.2);
    double x = 0.0, y = 0.0, z = (double)INFINITY;
    for (int32_t trial = 0; trial < 4; trial++) {
      const double tx = random_range(&h->random, r, h->width - r);
      const double ty = random_range(&h->random, r, h->width - r);
      const double tz = landing(h, tx, ty, r);
      if (tz < z) { x = tx; y = ty; z = tz; }
    }
    double reach = 0.5*r;
    for (int32_t failures = 0; reach > 1e-7*r;) {
      const double tx = clamp(x + reach*random_range(&h->random, -1.0, 1.0), r, h->width - r);
      const double ty = clamp(y + reach*random_range(&h->random, -1.0, 1.0), r, h->width - r);
      const double tz = landing(h, tx, ty, r);
      if (tz < z - 1e-12*r) {
        x = tx;
        y = ty;
        z = tz;
        failures = 0;
      } else if (++failures == 12) {
        reach *= 0.5;
        failures = 0;
      }
    }
    int32_t *link = &h->cell[column(h, y)*h->side + column(h, x)];
    while (*link >= 0 && h->sphere[*link].c[2] > z) link = &h->sphere[*link].next;
    h->sphere[k] = (sphere){{x, y, z}, r, *link};
    *link = k;
  }
}

typedef struct contact_pair {
  int32_t a, b;              // spheres; a = -1 is the floor or a wall
  double normal[3], gap;     // normal towards b
} contact_pair;

// Lists the contacts of sphere k with the floor, the walls and the spheres dropped before it. out
// NULL: only counts. Returns the number.
static int64_t find_contacts(const heap *h, int32_t k, double margin, contact_pair *out) {
  static const double sides[5][4] = {{0, 0, 1, 0}, {1, 0, 0, 0}, {-1, 0, 0, 1}, {0, 1, 0, 0},
                                     {0, -1, 0, 1}};
  const sphere *s = &h->sphere[k];
  int64_t count = 0;
  for (int32_t p = 0; p < 5; p++) {
    const double *n = sides[p];
    const double gap = max2(dot(3, n, s->c) + n[3]*h->width - s->r, 0.0);
    if (gap > margin) continue;
    if (out != NULL) out[count] = (contact_pair){-1, k, {n[0], n[1], n[2]}, gap};
    count++;
  }
  const int32_t cx = column(h, s->c[0]), cy = column(h, s->c[1]);
  for (int32_t i = cy - 1; i <= cy + 1; i++) {
    for (int32_t j = cx - 1; j <= cx + 1; j++) {
      if (i < 0 || i >= h->side || j < 0 || j >= h->side) continue;
      for (int32_t o = h->cell[i*h->side + j]; o >= 0; o = h->sphere[o].next) {
        if (o >= k) continue;
        const sphere *t = &h->sphere[o];
        double d[3];
        for (int32_t e = 0; e < 3; e++) d[e] = s->c[e] - t->c[e];
        const double distance = sqrt(dot(3, d, d)), gap = max2(distance - s->r - t->r, 0.0);
        if (gap > margin) continue;
        if (out != NULL) {
          out[count] = (contact_pair){o, k, {d[0]/distance, d[1]/distance, d[2]/distance}, gap};
        }
        count++;
      }
    }
  }
  return count;
}

// t1, t2: two unit vectors orthogonal to n and to each other.
static void tangents(const double n[3], double t1[3], double t2[3]) {
  const int32_t axis = fabs(n[0]) < 0.6 ? 0 : fabs(n[1]) < 0.6 ? 1 : 2;
  const int32_t p = (axis + 1)%3, q = (axis + 2)%3;
  const double length = sqrt(n[p]*n[p] + n[q]*n[q]);
  t1[axis] = 0.0;                                    // t1 = e_axis x n
  t1[p] = -n[q]/length;
  t1[q] = n[p]/length;
  for (int32_t k = 0; k < 3; k++) t2[k] = n[(k + 1)%3]*t1[(k + 2)%3] - n[(k + 2)%3]*t1[(k + 1)%3];
}

static void set_rows(const heap *h, const contact_pair *contact, int32_t nc, int32_t K,
                     delassus *c) {
  for (int32_t i = 0; i < nc; i++) {
    const contact_pair *t = &contact[i];
    double ra[3], rb[3], t1[3], t2[3];
    for (int32_t d = 0; d < 3; d++) {
      ra[d] = t->a >= 0 ? h->sphere[t->a].r*t->normal[d] : 0.0;
      rb[d] = -h->sphere[t->b].r*t->normal[d];
    }
    tangents(t->normal, t1, t2);
    delassus_set(c, i, t->a, t->b, t->normal, ra, rb);
    double *J = c->J + 12*(size_t)i;
    // r x n is 0; this removes its rounding errors.
    for (int32_t d = 3; d < 6; d++) J[d] = J[6 + d] = 0.0;
    for (int32_t k = 0; k < K; k++) {
      double cosine, sine, direction[3];
      elementary_turn(k, K, &cosine, &sine);
      for (int32_t d = 0; d < 3; d++) direction[d] = cosine*t1[d] + sine*t2[d];
      delassus_set(c, nc + K*i + k, t->a, t->b, direction, ra, rb);
    }
  }
  for (int32_t k = 0; k < h->count; k++) {
    const double r = h->sphere[k].r, mass = family_bodies.density*4.0/3.0*FAMILY_PI*r*r*r;
    for (int32_t d = 0; d < 6; d++) {
      c->W[6*(size_t)k + (size_t)d] = d < 3 ? 1.0/mass : 1.0/(0.4*mass*r*r);
    }
  }
}

// Assembles the matrix of (27) around B, and b from random velocities, gravity and gaps.
static perp_error set_problem(const delassus *c, const perp_sample *B, const contact_pair *contact,
                              int32_t nc, const double *values, random_stream *random,
                              perp_sample *s) {
  const int32_t K = (int32_t)values[DIRECTIONS], rows = c->rows;
  double largest = 0.0, *u = assemble_take(6*(int64_t)c->bodies, sizeof *u);
  perp_error error = assemble_reserve(s, (int64_t)rows + nc,
                                      B->colptr[rows] + nc + 2*(int64_t)K*nc);
  if (error == PERP_OK && u == NULL) error = assemble_no_memory(s->n, 0);
  for (int32_t j = 0; error == PERP_OK && j < rows; j++) {
    for (int32_t k = B->colptr[j]; k < B->colptr[j + 1]; k++) {
      if (B->row[k] == j) largest = max2(largest, B->value[k]);
    }
  }
  int32_t filled = 0;
  for (int32_t j = 0; error == PERP_OK && j < rows + nc; j++) {
    s->colptr[j] = filled;
    for (int32_t k = j < rows ? B->colptr[j] : 0; j < rows && k < B->colptr[j + 1]; k++) {
      s->row[filled] = B->row[k];
      s->value[filled++] = B->value[k] + (B->row[k] == j ? values[EPS]*largest : 0.0);
    }
    if (j < nc) {
      s->row[filled] = rows + j;
      s->value[filled++] = values[MU];
    } else if (j < rows) {
      s->row[filled] = rows + (j - nc)/K;
      s->value[filled++] = -1.0;
    } else {
      for (int32_t k = 0; k < K; k++) {
        s->row[filled] = nc + K*(j - rows) + k;
        s->value[filled++] = 1.0;
      }
    }
  }
  if (error == PERP_OK) {
    s->colptr[s->n] = filled;
    for (int32_t k = 0; k < 6*c->bodies; k++) {
      const double along = random_range(random, -values[SPEED], values[SPEED]);
      u[k] = k%6 < 3 ? along : along/data.radius;
      if (k%6 == 2) u[k] -= data.step*family_bodies.gravity;
    }
    for (int32_t i = 0; i < rows; i++) {
      s->b[i] = delassus_speed(c, i, u) + (i < nc ? contact[i].gap/data.step : 0.0);
    }
  }
  free(u);
  return error;
}

// Builds a known answer with b_beta = 0: each contact is open, sticks, or slides along one
// direction.
static perp_error build(perp_sample *s, int32_t nc, int32_t K, double mu, random_stream *random) {
  double *y = assemble_take(s->n, sizeof *y);
  s->x = assemble_take(s->n, sizeof *s->x);
  perp_error error = y != NULL && s->x != NULL ? PERP_OK : assemble_no_memory(s->n, 0);
  for (int32_t c = 0; error == PERP_OK && c < nc; c++) {
    double *lt = s->x + nc + K*c, *yt = y + nc + K*c, *ln = s->x + c, *beta = s->x + nc + K*nc + c;
    const double state = random_uniform(random);
    const double size = random_range(random, 0.1, 1.0), speed = random_range(random, 0.1, 1.0);
    const int32_t along = random_integer(random, K);
    for (int32_t k = 0; k < K; k++) yt[k] = random_range(random, 0.1, 1.0);
    if (state < 1.0/3.0) {                          // open: y_n > 0, and beta is arbitrary
      y[c] = size;
      *beta = speed;
    } else if (state < 2.0/3.0) {                   // stick: y_t = 0, beta = 0
      *ln = size;
      for (int32_t k = 0; k < K; k++) yt[k] = 0.0;
      lt[along] = 0.5*mu*size;
      y[nc + K*nc + c] = mu*size - lt[along];
    } else {                                        // slide: all of mu ln along one direction
      *ln = size;
      lt[along] = mu*size;
      yt[along] = 0.0;
      *beta = speed;
    }
  }
  if (error == PERP_OK) error = answer_right_side(s, y);
  for (int32_t i = nc + K*nc; error == PERP_OK && i < s->n; i++) {
    s->b[i] = 0.0;                                  // removes rounding errors
  }
  free(y);
  return error;
}

static perp_error friction(const double *values, uint64_t seed, perp_sample *s) {
  const int32_t K = (int32_t)values[DIRECTIONS];
  heap h = {.count = (int32_t)values[BODIES], .random = family_stream(seed, 0)};
  int32_t across = 1;
  while ((int64_t)across*across*across < h.count) across++;
  h.width = 2.4*data.radius*(across + 1);
  h.side = (int32_t)max2(floor(h.width/((2.4 + values[MARGIN])*data.radius)), 1.0);
  h.sphere = assemble_take(h.count, sizeof *h.sphere);
  h.cell = assemble_take((int64_t)h.side*h.side, sizeof *h.cell);
  delassus c = {0};
  perp_sample B = {0};
  contact_pair *contact = NULL;
  int64_t nc = 0;
  perp_error error = h.sphere != NULL && h.cell != NULL ? PERP_OK : assemble_no_memory(h.count, 0);
  if (error == PERP_OK) {
    settle(&h);
    const double margin = values[MARGIN]*data.radius + 1e-6*data.radius;
    for (int32_t k = 0; k < h.count; k++) nc += find_contacts(&h, k, margin, NULL);
    contact = assemble_take(nc, sizeof *contact);
    error = contact != NULL ? delassus_take(&c, nc*(K + 1), h.count) : assemble_no_memory(nc, 0);
    int64_t at = 0;
    for (int32_t k = 0; contact != NULL && k < h.count; k++) {
      at += find_contacts(&h, k, margin, contact + at);
    }
  }
  if (error == PERP_OK) {
    set_rows(&h, contact, (int32_t)nc, K, &c);
    error = delassus_product(&c, &B);
  }
  if (error == PERP_OK) {
    random_stream motion = family_stream(seed, 1);
    error = set_problem(&c, &B, contact, (int32_t)nc, values, &motion, s);
  }
  if (error == PERP_OK && values[BUILT] == 1.0) {
    random_stream answer = family_stream(seed, 2);
    error = build(s, (int32_t)nc, K, values[MU], &answer);
  }
  if (error == PERP_OK) {
    plain_print(s->note, sizeof s->note,
                "%d spheres, %d contacts, mu = %.6g, %d directions; normals, directions, slacks",
                h.count, (int32_t)nc, values[MU], K);
  }
  free(h.sphere);
  free(h.cell);
  free(contact);
  delassus_free(&c);
  perp_sample_free(&B);
  return error;
}

const perp_family family_friction = {
  "friction", "impulses with Coulomb friction in a heap of spheres: non-symmetric, zero block",
  "with built = 1, by construction, one of possibly many",
  parameters, FAMILY_COUNT(parameters), friction};
