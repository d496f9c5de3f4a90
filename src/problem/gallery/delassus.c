// delassus.c: builds J, the relative velocities of pairs of bodies, and the matrix J W J'.
#include "family.h"

#include <stdlib.h>

perp_error delassus_take(delassus *c, int64_t rows, int32_t bodies) {
  if (rows >= INT32_MAX) {
    return error_set(PERP_ERROR_OPTION, "%lld contact rows exceed 2147483647: choose fewer bodies",
                     (long long)rows);
  }
  c->rows = (int32_t)rows;
  c->bodies = bodies;
  c->a = assemble_take(rows, sizeof *c->a);
  c->b = assemble_take(rows, sizeof *c->b);
  c->J = assemble_take(12*rows, sizeof *c->J);
  c->W = assemble_take(6*(int64_t)bodies, sizeof *c->W);
  const int complete = c->a != NULL && c->b != NULL && c->J != NULL && c->W != NULL;
  return complete ? PERP_OK : assemble_no_memory(rows, 12*rows);
}

void delassus_free(delassus *c) {
  free(c->a);
  free(c->b);
  free(c->J);
  free(c->W);
  *c = (delassus){0};
}

static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1]*b[2] - a[2]*b[1];
  out[1] = a[2]*b[0] - a[0]*b[2];
  out[2] = a[0]*b[1] - a[1]*b[0];
}

void delassus_set(delassus *c, int32_t row, int32_t a, int32_t b, const double d[3],
                  const double ra[3], const double rb[3]) {
  double *J = c->J + 12*(size_t)row;
  double spin_a[3], spin_b[3];
  cross(ra, d, spin_a);                 // d.(v + w x r) = d.v + (r x d).w
  cross(rb, d, spin_b);
  c->a[row] = a;
  c->b[row] = b;
  for (int32_t k = 0; k < 3; k++) {
    J[k] = a >= 0 ? -d[k] : 0.0;
    J[3 + k] = a >= 0 ? -spin_a[k] : 0.0;
    J[6 + k] = d[k];
    J[9 + k] = spin_b[k];
  }
}

double delassus_speed(const delassus *c, int32_t row, const double *u) {
  const double *J = c->J + 12*(size_t)row;
  double speed = 0.0;
  if (c->a[row] >= 0) speed = dot(6, J, u + 6*(size_t)c->a[row]);
  return speed + dot(6, J + 6, u + 6*(size_t)c->b[row]);
}

// The part of (J W J')_ik from body p. (J_i J_k) W has the same bits for (i, k) and (k, i).
static double body_part(const delassus *c, int32_t i, int32_t k, int32_t p) {
  if (p < 0 || (c->a[k] != p && c->b[k] != p)) return 0.0;
  const double *Ji = c->J + 12*(size_t)i + (c->a[i] == p ? 0 : 6);
  const double *Jk = c->J + 12*(size_t)k + (c->a[k] == p ? 0 : 6);
  const double *W = c->W + 6*(size_t)p;
  double sum = 0.0;
  for (int32_t d = 0; d < 6; d++) sum += (Ji[d]*Jk[d])*W[d];
  return sum;
}

// Lists the rows of each body p, ascending: list[start[p]] .. list[start[p+1] - 1].
static perp_error list_rows(const delassus *c, int32_t **start, int32_t **list) {
  *start = assemble_take((int64_t)c->bodies + 2, sizeof **start);
  *list = assemble_take(2*(int64_t)c->rows, sizeof **list);
  if (*start == NULL || *list == NULL) return assemble_no_memory(c->rows, 0);
  // Filling moves at[p] = start[p + 1] from the start of body p to its end, where it belongs.
  int32_t *at = *start + 1;
  for (int32_t i = 0; i < c->rows; i++) {
    if (c->a[i] >= 0) at[c->a[i] + 1]++;
    at[c->b[i] + 1]++;
  }
  for (int32_t p = 0; p < c->bodies; p++) at[p + 1] += at[p];
  for (int32_t i = 0; i < c->rows; i++) {
    if (c->a[i] >= 0) (*list)[at[c->a[i]]++] = i;
    (*list)[at[c->b[i]]++] = i;
  }
  return PERP_OK;
}

perp_error delassus_product(const delassus *c, perp_sample *s) {
  int32_t *start = NULL, *list = NULL;
  perp_error error = list_rows(c, &start, &list);
  if (error == PERP_OK) {
    int64_t bound = 0;
    for (int32_t i = 0; i < c->rows; i++) {
      if (c->a[i] >= 0) bound += start[c->a[i] + 1] - start[c->a[i]];
      bound += start[c->b[i] + 1] - start[c->b[i]];
    }
    error = assemble_reserve(s, c->rows, bound);
  }
  if (error == PERP_OK) {
    int32_t filled = 0;
    for (int32_t i = 0; i < c->rows; i++) {
      const int32_t a = c->a[i], b = c->b[i];
      int32_t pa = a >= 0 ? start[a] : 0, pb = start[b];
      const int32_t ea = a >= 0 ? start[a + 1] : 0, eb = start[b + 1];
      s->colptr[i] = filled;
      while (pa < ea || pb < eb) {       // merge the rows of the two bodies
        const int32_t ka = pa < ea ? list[pa] : INT32_MAX, kb = pb < eb ? list[pb] : INT32_MAX;
        const int32_t k = ka < kb ? ka : kb;
        if (ka == k) pa++;
        if (kb == k) pb++;
        const double value = body_part(c, i, k, a) + body_part(c, i, k, b);
        if (value != 0.0 || k == i) {
          s->row[filled] = k;
          s->value[filled++] = value;
        }
      }
    }
    s->colptr[c->rows] = filled;
  }
  free(start);
  free(list);
  return error;
}

// Copies the six numbers of row i for body p into the sample's J. Returns the number of entries.
static int32_t put_body(const delassus *c, int32_t i, int32_t p, int32_t filled, perp_sample *s) {
  const double *J = c->J + 12*(size_t)i + (c->a[i] == p ? 0 : 6);
  for (int32_t d = 0; d < 6; d++) {
    if (J[d] == 0.0) continue;
    s->product_column[filled] = 6*p + d;
    s->product_value[filled++] = J[d];
  }
  return filled;
}

perp_error delassus_factors(delassus *c, double eps, perp_sample *s) {
  int64_t entries = 0;
  for (int64_t k = 0; k < 12*(int64_t)c->rows; k++) entries += c->J[k] != 0.0;
  // A perp_product counts its entries and degrees of freedom in int32_t.
  if (entries >= INT32_MAX || 6*(int64_t)c->bodies >= INT32_MAX) return PERP_OK;
  s->product_rowptr = assemble_take((int64_t)c->rows + 1, sizeof *s->product_rowptr);
  s->product_column = assemble_take(entries, sizeof *s->product_column);
  s->product_value = assemble_take(entries, sizeof *s->product_value);
  s->compliance = assemble_take(c->rows, sizeof *s->compliance);
  if (s->product_rowptr == NULL || s->product_column == NULL || s->product_value == NULL ||
      s->compliance == NULL) {
    return assemble_no_memory(c->rows, entries);
  }
  int32_t filled = 0;
  for (int32_t i = 0; i < c->rows; i++) {
    const int32_t a = c->a[i], b = c->b[i];
    if (a >= 0 && a < b) filled = put_body(c, i, a, filled, s);
    filled = put_body(c, i, b, filled, s);
    if (a > b) filled = put_body(c, i, a, filled, s);
    s->product_rowptr[i + 1] = filled;
    s->compliance[i] = eps;
  }
  s->inverse_mass = c->W;
  c->W = NULL;
  s->product = (perp_product){.n = c->rows, .dofs = 6*c->bodies, .rowptr = s->product_rowptr,
                              .column = s->product_column, .value = s->product_value, .block = 1,
                              .W = s->inverse_mass, .compliance = s->compliance};
  return PERP_OK;
}
