// masonry.c: sets up bricks in running bond, the ball that hits them, and the contacts' compliance.
//
// Bricks lie in courses in the plane y = 0. Every other course starts and ends with half a brick.
#include "family.h"

#include <stdlib.h>

const masonry_data masonry = {
  .length = 0.2, .depth = 0.1, .height = 0.1, .inset = 0.9, .radius = 0.12, .mass = 20.0,
  .step = 1.0/60.0,
};

void masonry_stack(int32_t bricks, brick *list) {
  int32_t width = 1;
  while ((int64_t)width*width < bricks) width++;
  int32_t k = 0;
  for (int32_t course = 0; k < bricks; course++) {
    const int32_t pieces = course%2 == 0 ? width : width + 1;
    for (int32_t i = 0; i < pieces && k < bricks; i++, k++) {
      const double from = course%2 == 0 ? i : i - 0.5;
      list[k] = (brick){max2(from, 0.0), min2(from + 1.0, width), course};
    }
  }
}

static int touch(const brick *a, const brick *b) { return a->from < b->to && b->from < a->to; }

int32_t masonry_supports(const brick *list, int32_t k, int32_t *first, int32_t below[2]) {
  const brick *top = &list[k];
  if (top->course == 0) {
    below[0] = -1;
    return 1;
  }
  int32_t count = 0;
  while (list[*first].course < top->course - 1) (*first)++;
  for (int32_t i = *first; list[i].course == top->course - 1; i++) {
    if (touch(&list[i], top)) below[count++] = i;
  }
  return count;
}

void masonry_centre(const brick *b, double c[3]) {
  c[0] = masonry.length*0.5*(b->from + b->to);
  c[1] = 0.0;
  c[2] = masonry.height*(b->course + 0.5);
}

void masonry_spread(int32_t p, int32_t points, double *x, double *y) {
  const int32_t rows = points > 2 ? 2 : 1, columns = (points + rows - 1)/rows;
  *x = columns > 1 ? -1.0 + 2.0*(p/rows)/(columns - 1) : 0.0;
  *y = rows > 1 ? (p%rows == 0 ? -1.0 : 1.0) : 0.0;
}

void masonry_mass(const brick *b, double factor, double W[6]) {
  const double length = masonry.length*(b->to - b->from);
  const double mass = family_bodies.density*length*masonry.depth*masonry.height*factor;
  const double side[3] = {length*length, masonry.depth*masonry.depth,
                          masonry.height*masonry.height};
  for (int32_t d = 0; d < 3; d++) {
    W[d] = 1.0/mass;
    W[3 + d] = 12.0/(mass*(side[(d + 1)%3] + side[(d + 2)%3]));
  }
}

void masonry_ball(const brick *hit, double r[3], double centre[3], double W[6]) {
  masonry_centre(hit, r);
  r[0] += 0.25*masonry.length*(hit->to - hit->from);
  r[1] -= 0.5*masonry.depth;
  r[2] += 0.25*masonry.height;
  for (int32_t d = 0; d < 3; d++) centre[d] = r[d];
  centre[1] -= masonry.radius;
  for (int32_t d = 0; d < 3; d++) {
    W[d] = 1.0/masonry.mass;
    W[3 + d] = 1.0/(0.4*masonry.mass*masonry.radius*masonry.radius);
  }
}

// *redundant = 1: J W J' is singular, as there are more rows than degrees of freedom they touch.
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

perp_error masonry_compliance(const delassus *c, int singular, double condition, double relative,
                              perp_sample *s, double *eps) {
  double smallest = 0.0, largest = 0.0;
  perp_error error = singular ? PERP_OK : is_redundant(c, &singular);
  if (error == PERP_OK) error = spectrum_extremes(s, singular ? 60 : 200, &smallest, &largest);
  if (error != PERP_OK) return error;
  if (singular || smallest < 0.0) smallest = 0.0;
  double diagonal = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      if (s->row[k] == j) diagonal = max2(diagonal, s->value[k]);
    }
  }
  *eps = relative > 0.0 ? relative*diagonal : largest/(condition - 1.0);
  for (int32_t j = 0; j < s->n; j++) {
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      if (s->row[k] == j) s->value[k] += *eps;
    }
  }
  s->condition = (largest + *eps)/(smallest + *eps);
  s->problem.A.claims = FAMILY_CLAIM_SPD;
  return PERP_OK;
}
