// membrane.c: generates three classical membranes with obstacles: bearing, obstacle, torsion.
//
//     min 1/2 u'Au + b'u over bounds, with a five-point M-matrix A
// The points are numbered with x fastest. bearing and torsion follow the MINPACK-2 collection
// (Averick, Carter, More and Xue 1992). Its linear finite elements on right triangles reduce to
// five points. A has the scale of the collection, so that objectives can be compared.
#include "family.h"

#include <stdlib.h>

#include "plain.h"

// --------------------------------------------------------------------------------- journal bearing

enum { BEARING_NX, BEARING_NY, BEARING_E, BEARING_B };

static const perp_gallery_parameter bearing_parameters[] = {
  FAMILY_WHOLE("nx", 50, 1, 4096, "interior points along the circumference"),
  FAMILY_WHOLE("ny", 50, 1, 4096, "interior points along the axis"),
  FAMILY_REAL("e", 0.1, 0, 0.999, "eccentricity"),
  FAMILY_REAL("b", 10, 0.01, 1000, "half the length of the bearing"),
};

// Minima from the collection for b = 10. The test recomputes the small ones.
static const struct { int32_t nx, ny; double e, objective; } bearing_minima[] = {
  {8, 12, 0.1, -0.1834372196},   {50, 50, 0.1, -0.180487995},    {50, 50, 0.99, -60.15092732},
  {100, 100, 0.1, -0.1805743697}, {200, 200, 0.1, -0.1805975448}, {400, 400, 0.1, -0.1806034087},
};

// Minimises 1/2 int p |grad u|^2 - int e sin(xi) u on (0, 2 pi) x (0, 2 b), p = (1 + e cos xi)^3,
// for u >= 0, u = 0 on the boundary. The two triangles at an edge average p over their corners:
//     i to i+1 along x:  hy/hx (p_i + p_i+1)/2,     along y:  hx/hy (p_i-1 + 4 p_i + p_i+1)/6
static perp_error bearing(const double *values, uint64_t seed, perp_sample *s) {
  (void)seed;
  const int32_t nx = (int32_t)values[BEARING_NX], ny = (int32_t)values[BEARING_NY];
  const double e = values[BEARING_E], half = values[BEARING_B];
  const double hx = 2.0*FAMILY_PI/(nx + 1), hy = 2.0*half/(ny + 1);
  double *work = assemble_take(4*((int64_t)nx + 2), sizeof *work);
  if (work == NULL) return assemble_no_memory(nx, 0);
  double *p = work, *sine = p + nx + 2, *east = sine + nx + 2, *north = east + nx + 2;
  for (int32_t i = 0; i <= nx + 1; i++) {
    double cosine;
    elementary_turn(i, (int64_t)nx + 1, &cosine, &sine[i]);
    const double gap = 1.0 + e*cosine;
    p[i] = gap*gap*gap;
  }
  for (int32_t i = 0; i <= nx; i++) east[i] = hy/hx*((p[i] + p[i + 1])/2.0);
  for (int32_t i = 0; i < nx; i++) north[i] = hx/hy*((p[i] + 4.0*p[i + 1] + p[i + 2])/6.0);
  const perp_error error = assemble_grid(s, nx, ny, east, north);
  for (int32_t j = 0; error == PERP_OK && j < s->n; j++) s->b[j] = -e*hx*hy*sine[j%nx + 1];
  free(work);
  if (error != PERP_OK) return error;

  s->problem.A.claims = FAMILY_CLAIM_SPD | PERP_CLAIM_Z | PERP_CLAIM_H;
  for (int32_t k = 0; k < FAMILY_COUNT(bearing_minima); k++) {
    if (half == 10.0 && nx == bearing_minima[k].nx && ny == bearing_minima[k].ny &&
        e == bearing_minima[k].e) {
      s->objective = bearing_minima[k].objective;
      s->has_objective = 1;
    }
  }
  s->grid = (perp_layout){.nx = nx, .ny = ny, .x = hx, .y = hy, .dx = hx, .dy = hy, .edge = 1.0,
                        .x_label = "angle around the shaft", .y_label = "length of the bearing",
                        .value = "pressure", .at_lo = "cavity: no pressure"};
  plain_print(s->note, sizeof s->note,
              "journal bearing, %d x %d points, eccentricity %.6g, length %.6g", nx, ny, e, 2.0*half);
  return PERP_OK;
}

const perp_family family_bearing = {
  "bearing", "pressure of the oil film in a journal bearing, which cavitates",
  "minimum of the objective known to about 9 digits for the sizes of MINPACK-2 (b = 10)",
  bearing_parameters, FAMILY_COUNT(bearing_parameters), bearing};

// ---------------------------------------------------------------------------------------- obstacle

static const perp_gallery_parameter obstacle_parameters[] = {
  FAMILY_WHOLE("size", 63, 1, 4096, "interior points along each side"),
};

static const struct exact {
  double a, b;               // u = -a ln r + b outside of the contact region
} exact = {0.680259411891719, 0.471519893402112};

static double hemisphere(double r2) {
  const double cone = 0.9;   // radius; beyond it a cone continues the hemisphere
  if (r2 <= cone*cone) return sqrt(1.0 - r2);
  const double rim = sqrt(1.0 - cone*cone);
  return rim - cone/rim*(sqrt(r2) - cone);
}

// Solves -Laplace u >= 0, u >= psi, with equality in one of them, on (-2, 2)^2 with the exact u on
// the boundary. With w = u - psi >= 0, times h^2:  y = A w + (A psi - boundary values).
static perp_error obstacle(const double *values, uint64_t seed, perp_sample *s) {
  (void)seed;
  const int32_t m = (int32_t)values[0];
  const double h = 4.0/(m + 1);
  double *ones = assemble_take((int64_t)m + 1, sizeof *ones);
  double *psi = assemble_take((int64_t)m*m, sizeof *psi);
  perp_error error = ones != NULL && psi != NULL ? PERP_OK : assemble_no_memory((int64_t)m*m, 0);
  for (int32_t i = 0; error == PERP_OK && i <= m; i++) ones[i] = 1.0;
  if (error == PERP_OK) error = assemble_grid(s, m, m, ones, ones);
  if (error == PERP_OK) {
    for (int32_t j = 0; j < s->n; j++) {
      const double x = -2.0 + h*(j%m + 1), y = -2.0 + h*(j/m + 1);
      psi[j] = hemisphere(x*x + y*y);
    }
    for (int32_t j = 0; j < s->n; j++) {
      const int32_t ix = j%m, iy = j/m;
      double sum = 4.0*psi[j];
      for (int32_t side = 0; side < 4; side++) {
        const int32_t kx = ix + (side == 0) - (side == 1), ky = iy + (side == 2) - (side == 3);
        if (kx >= 0 && kx < m && ky >= 0 && ky < m) {
          sum -= psi[kx + m*ky];
        } else {
          const double x = -2.0 + h*(kx + 1), y = -2.0 + h*(ky + 1);
          sum -= exact.b - 0.5*exact.a*elementary_log(x*x + y*y);
        }
      }
      s->b[j] = sum;
    }
    s->problem.A.claims = FAMILY_CLAIM_SPD | PERP_CLAIM_Z | PERP_CLAIM_H;
    s->grid = (perp_layout){.nx = m, .ny = m, .x = -2.0 + h, .y = -2.0 + h, .dx = h, .dy = h,
                          .edge = 1.0, .x_label = "x", .y_label = "y",
                          .value = "height of the membrane above the obstacle",
                          .at_lo = "contact"};
    plain_print(s->note, sizeof s->note,
                "hemisphere obstacle, %d x %d points, x = u - psi; free boundary r = 0.697965", m, m);
  }
  free(ones);
  free(psi);
  return error;
}

const perp_family family_obstacle = {
  "obstacle", "membrane stretched over a hemisphere",
  "u = -0.680259 ln r + 0.471520 outside r = 0.697965, from which the discrete one is O(h^2)",
  obstacle_parameters, FAMILY_COUNT(obstacle_parameters), obstacle};

// ----------------------------------------------------------------------------------------- torsion

enum { TORSION_NX, TORSION_NY, TORSION_C };

static const perp_gallery_parameter torsion_parameters[] = {
  FAMILY_WHOLE("nx", 50, 1, 4096, "interior points along x"),
  FAMILY_WHOLE("ny", 50, 1, 4096, "interior points along y"),
  FAMILY_REAL("c", 5, -1000, 1000,
              "angle of twist per length: the larger, the more of the bar is plastic"),
};

// Minimises 1/2 int |grad u|^2 - c int u on the unit square for |u| <= distance to the boundary.
static perp_error torsion(const double *values, uint64_t seed, perp_sample *s) {
  (void)seed;
  const int32_t nx = (int32_t)values[TORSION_NX], ny = (int32_t)values[TORSION_NY];
  const double c = values[TORSION_C], hx = 1.0/(nx + 1), hy = 1.0/(ny + 1);
  double *work = assemble_take(2*((int64_t)nx + 1), sizeof *work);
  if (work == NULL) return assemble_no_memory(nx, 0);
  for (int32_t i = 0; i <= nx; i++) {
    work[i] = hy/hx;
    work[nx + 1 + i] = hx/hy;
  }
  const perp_error error = assemble_grid(s, nx, ny, work, work + nx + 1);
  free(work);
  if (error != PERP_OK) return error;
  s->lo = assemble_take(s->n, sizeof *s->lo);
  s->hi = assemble_take(s->n, sizeof *s->hi);
  if (s->lo == NULL || s->hi == NULL) return assemble_no_memory(s->n, 0);
  for (int32_t j = 0; j < s->n; j++) {
    const int32_t ix = j%nx + 1, iy = j/nx + 1;
    const double left = hx*min2(ix, nx + 1 - ix), below = hy*min2(iy, ny + 1 - iy);
    s->b[j] = -c*hx*hy;
    s->hi[j] = min2(left, below);
    s->lo[j] = -s->hi[j];
  }
  s->problem.A.claims = FAMILY_CLAIM_SPD | PERP_CLAIM_Z | PERP_CLAIM_H;
  s->grid = (perp_layout){.nx = nx, .ny = ny, .x = hx, .y = hy, .dx = hx, .dy = hy, .edge = 1.0,
                        .x_label = "x", .y_label = "y", .value = "stress function",
                        .at_lo = "plastic, at -distance", .at_hi = "plastic, at the distance"};
  plain_print(s->note, sizeof s->note,
              "elastic-plastic torsion, %d x %d points, c = %.6g, |u| <= distance to the boundary",
              nx, ny, c);
  return PERP_OK;
}

const perp_family family_torsion = {
  "torsion", "stress function of a twisted square bar that yields: |u| <= distance to the boundary",
  "not known in closed form; unique, and second order in the mesh width",
  torsion_parameters, FAMILY_COUNT(torsion_parameters), torsion};
