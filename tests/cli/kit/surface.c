// surface.c: the mesh of a liquid's surface is closed, faces outwards and has the right size, of
// shapes with known volume and area, at the sides of the grid, and of noise.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "liquid_field.h"
#include "surface_mesh.h"

enum { N = 24 };

static int failures;

typedef struct edge { int32_t from, to; } edge;

static int by_ends(const void *a, const void *b) {
  const edge *p = a, *q = b;
  if (p->from != q->from) return p->from < q->from ? -1 : 1;
  return (p->to > q->to) - (p->to < q->to);
}

// Each edge once in each direction: closed, consistently oriented, two triangles an edge.
static int is_closed(const surface *s) {
  const size_t count = 3*(size_t)s->triangles;
  edge *there = malloc((count + 1)*sizeof *there), *back = malloc((count + 1)*sizeof *back);
  for (size_t k = 0; k < count; k++) {
    const int32_t from = s->corner[k], to = s->corner[k % 3 == 2 ? k - 2 : k + 1];
    there[k] = (edge){from, to};
    back[k] = (edge){to, from};
  }
  qsort(there, count, sizeof *there, by_ends);
  qsort(back, count, sizeof *back, by_ends);
  int good = 1;
  for (size_t k = 0; k < count; k++) {
    good = good && there[k].from != there[k].to && !by_ends(&there[k], &back[k]);
    good = good && (k == 0 || by_ends(&there[k - 1], &there[k]) != 0);
  }
  free(there);
  free(back);
  return good;
}

static void measure(const surface *s, double *volume, double *area, double *least) {
  *volume = *area = 0.0;
  *least = INFINITY;
  for (int32_t t = 0; t < s->triangles; t++) {
    double p[3][3], u[3], v[3], n[3], square = 0.0;
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++)
        p[k][c] = (double)s->position[3*s->corner[3*t + k] + c];
    for (int c = 0; c < 3; c++) u[c] = p[1][c] - p[0][c], v[c] = p[2][c] - p[0][c];
    for (int c = 0; c < 3; c++) {
      const int d = (c + 1)%3, e = (c + 2)%3;
      n[c] = u[d]*v[e] - u[e]*v[d];
      square += n[c]*n[c];
      *volume += p[0][c]*n[c]/6.0;
    }
    *area += 0.5*sqrt(square);
    *least = fmin(*least, 0.5*sqrt(square));
  }
}

// part: of the volume and the area that may be missing; volume < 0: they are not known.
static void check(const char *name, const int32_t cells[3], const int8_t *distance, double volume,
                  double area, double part) {
  surface s;
  double V, A, least;
  if (surface_make(cells, 1.0/cells[0], distance, &s)) exit(99);
  measure(&s, &V, &A, &least);
  const int closed = is_closed(&s), size = volume < 0.0 || (fabs(V - volume) <= part*volume &&
                                                            fabs(A - area) <= part*area);
  const int good = closed && size && least > 0.0;
  printf("%sok - %s: %d triangles, volume %.5f of %.5f, area %.5f of %.5f%s%s\n", good ? "" : "not ",
         name, (int)s.triangles, V, volume, A, area, closed ? "" : ", not closed",
         least > 0.0 ? "" : ", a triangle without area");
  failures += !good;
  surface_free(&s);
}

static double ball(double x, double y, double z, double radius) {
  return sqrt(x*x + y*y + z*z) - radius;
}

static double distance_of(int which, double x, double y, double z) {
  switch (which) {
    case 0: return ball(x - 0.5, y - 0.5, z - 0.5, 0.3);
    case 1: return y - 0.3;
    case 2: return y + 0.1*x - 0.33;
    case 3: return -1.0;
    case 4: return 1.0;
    case 5: return ball(x, y, z, 0.3);
    case 6: return ball(x - 1.0, y, z - 1.0, 0.3);
    default: return (double)(rand()%255 - 127)/64.0/N;
  }
}

static int32_t root_of(int32_t *up, int32_t v) {
  while (up[v] != v) v = up[v] = up[up[v]];
  return v;
}

// Connected parts of the mesh, and V - E + F of all of them.
static int32_t parts_of(const surface *s, int32_t *euler) {
  int32_t *up = malloc(((size_t)s->vertices + 1)*sizeof *up), count = 0;
  for (int32_t v = 0; v < s->vertices; v++) up[v] = v;
  for (int32_t k = 0; k < 3*s->triangles; k++)
    up[root_of(up, s->corner[k])] = root_of(up, s->corner[k - k % 3]);
  for (int32_t v = 0; v < s->vertices; v++) count += up[v] == v;
  free(up);
  *euler = s->vertices - s->triangles/2;
  return count;
}

// A tilted square of single particles, where a grid of cells sees next to nothing: one closed piece
// without holes, of both sides' area and no more than a particle's thickness.
static void check_sheet(double jitter, double spacing) {
  enum { SIDE = 24, CELLS = 16, MOST = 2000 };
  static float position[3*MOST], value[MOST];
  static int8_t distance[8*CELLS*CELLS*CELLS], far[CELLS*CELLS*CELLS];
  const double gap = 0.5/CELLS, step = spacing*gap, wide = step*(SIDE - 1);
  int64_t count = 0;
  for (int j = 0; j < SIDE; j++)
    for (int i = 0; i < SIDE; i++, count++) {
      const double u = 0.03 + step*(i + jitter*(rand()%1000/1000.0 - 0.5));
      const double v = 0.03 + step*(j + jitter*(rand()%1000/1000.0 - 0.5));
      position[3*count] = (float)u;
      position[3*count + 1] = (float)(0.35 + 0.3*u + 0.1*v);
      position[3*count + 2] = (float)v;
    }
  for (int i = 0; i < CELLS*CELLS*CELLS; i++) far[i] = 96;
  const render_liquid liquid = {.count = count, .position = position, .value = value, .gap = gap,
                                .surface = 1, .size = {1, 1, 1}, .grid = {CELLS, CELLS, CELLS},
                                .distance = far};
  field f = {0};
  surface s;
  int32_t euler;
  double V, A, least;
  const int32_t cells[3] = {2*CELLS, 2*CELLS, 2*CELLS};
  if (field_parts(&liquid) != 2 || field_make(&f, &liquid, 3, 1)) exit(99);
  field_distances(&f, &liquid, distance);
  if (surface_make(cells, 1.0/cells[0], distance, &s)) exit(99);
  measure(&s, &V, &A, &least);
  const int32_t parts = parts_of(&s, &euler);
  const double both = 2.0*wide*wide*sqrt(1.0 + 0.09 + 0.01);
  const int good = is_closed(&s) && parts == 1 && euler == 2 && A > both && A < 1.5*both &&
                   V < both*gap;
  printf("%sok - a sheet of particles %.1f apart, jitter %.1f: %d parts, euler %d, area %.4f of "
         "%.4f, volume %.5f\n", good ? "" : "not ", spacing, jitter, (int)parts, (int)euler, A, both,
         V);
  failures += !good;
  surface_free(&s);
  field_free(&f);
}

// Two sheets a cell and a half apart stay two.
static void check_two_sheets(void) {
  enum { SIDE = 20, CELLS = 16 };
  static float position[6*SIDE*SIDE], value[2*SIDE*SIDE];
  static int8_t distance[8*CELLS*CELLS*CELLS];
  const double gap = 0.5/CELLS;
  int64_t count = 0;
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < SIDE; j++)
      for (int i = 0; i < SIDE; i++, count++) {
        position[3*count] = (float)(0.2 + gap*i);
        position[3*count + 1] = (float)(0.5 + 4.0*k*gap);
        position[3*count + 2] = (float)(0.2 + gap*j);
      }
  const render_liquid liquid = {.count = count, .position = position, .value = value, .gap = gap,
                                .surface = 1, .size = {1, 1, 1}, .grid = {CELLS, CELLS, CELLS}};
  field f = {0};
  surface s;
  int32_t euler;
  if (field_make(&f, &liquid, 3, 1)) exit(99);
  field_distances(&f, &liquid, distance);
  if (surface_make((const int32_t[]){2*CELLS, 2*CELLS, 2*CELLS}, 0.5/CELLS, distance, &s)) exit(99);
  const int32_t parts = parts_of(&s, &euler);
  const int good = is_closed(&s) && parts == 2 && euler == 4;
  printf("%sok - two sheets: %d parts, euler %d\n", good ? "" : "not ", (int)parts, (int)euler);
  failures += !good;
  surface_free(&s);
  field_free(&f);
}

int main(void) {
  static int8_t distance[N*N*N];
  const double pi = acos(-1.0), r = 0.3, whole = 4.0/3.0*pi*r*r*r, round = 4.0*pi*r*r;
  const struct { const char *name; double volume, area, part; } shapes[] = {
      {"a ball", whole, round, 0.015},
      {"a pool", 0.3, 2.0 + 4.0*0.3, 0.002},
      {"a pool that is tilted", 0.28, 1.0 + sqrt(1.01) + 4.0*0.28, 0.002},
      {"a full tank", 1.0, 6.0, 1e-6},
      {"an empty one", 0.0, 0.0, 0.0},
      {"a ball in a corner", whole/8.0, round/8.0 + 0.75*pi*r*r, 0.02},
      {"in another one", whole/8.0, round/8.0 + 0.75*pi*r*r, 0.02},
      {"noise", -1.0, -1.0, 0.0}};
  for (int which = 0; which < (int)(sizeof shapes/sizeof *shapes); which++) {
    for (int i = 0; i < N*N*N; i++) {
      const double d = N*distance_of(which, (i%N + 0.5)/N, (i/N%N + 0.5)/N, (i/N/N + 0.5)/N);
      distance[i] = (int8_t)fmin(fmax(rint(64.0*d), -127.0), 127.0);
    }
    if (which == 4) {          // nothing has no smallest triangle
      surface s;
      const int good = !surface_make((const int32_t[]){N, N, N}, 1.0/N, distance, &s) &&
                       s.vertices == 0 && s.triangles == 0;
      printf("%sok - %s\n", good ? "" : "not ", shapes[which].name);
      failures += !good;
      continue;
    }
    check(shapes[which].name, (const int32_t[]){N, N, N}, distance, shapes[which].volume,
          shapes[which].area, shapes[which].part);
  }
  check("a cell", (const int32_t[]){1, 1, 1}, (const int8_t[]){-5}, 1.0, 6.0, 1e-6);
  check("six cells", (const int32_t[]){1, 2, 3}, (const int8_t[]){-5, 3, 0, -1, 2, -7}, -1.0, -1.0,
        0.0);
  check_sheet(0.0, 1.0);
  check_sheet(0.6, 1.0);
  check_sheet(0.0, 1.3);
  check_two_sheets();
  return failures > 0;
}
