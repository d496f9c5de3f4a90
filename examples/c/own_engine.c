// own_engine.c: an engine of its own, with perp as its contact solver.
//
// The engine has bodies and finds contacts; here they are discs above a floor, in a few lines. What
// it needs from perp is one solver, made once with room for the largest frame, and for every frame
// J (who touches whom, along which normal), the inverse masses W and b = J u* + gap/h. The impulses
// of the frame before are the guess: contacts are known by their pair of bodies.
//
//     cc own_engine.c $(pkg-config --cflags --libs perp) -lm -o own_engine
#include <math.h>
#include <perp/matrix.h>
#include <perp/perp.h>
#include <stdio.h>
#include <string.h>

enum { DISCS = 10, MOST = DISCS*(DISCS + 1)/2, FLOOR = DISCS };   // FLOOR: number of the floor

typedef struct disc { double x, y, vx, vy; } disc;

static const double radius = 0.5, gravity = 9.81, h = 1.0/60;
static disc body[DISCS];
static double known[DISCS][DISCS + 1];                            // impulse of each pair

int main(void) {
  for (int i = 0; i < DISCS; i++) body[i] = (disc){.x = 0.55*(i%2), .y = 0.6 + 0.95*i};
  perp_solver *solver;
  const perp_limits room = {.n = MOST, .nnz = 4*MOST, .scratch = 6*2*DISCS*sizeof(double)};
  if (perp_solver_create(NULL, &room, NULL, NULL, &solver) != PERP_OK) return 1;

  int32_t rowptr[MOST + 1], column[4*MOST], pair[MOST][2], unsolved = 0, n = 0;
  double J[4*MOST], W[2*DISCS], b[MOST], x[MOST], worst = 0;
  for (int frame = 0; frame < 600; frame++) {
    n = rowptr[0] = 0;
    for (int i = 0; i < DISCS; i++) {
      body[i].vy -= h*gravity;                                    // u*
      W[2*i] = W[2*i + 1] = 1.0;                                  // 1/mass
    }
    for (int i = 0; i < DISCS; i++)
      for (int j = i + 1; j <= DISCS; j++) {                      // the engine's own detection
        const double dx = j == FLOOR ? 0 : body[i].x - body[j].x,
                     dy = j == FLOOR ? body[i].y : body[i].y - body[j].y, d = hypot(dx, dy);
        const double gap = d - (j == FLOOR ? radius : 2*radius), nx = dx/d, ny = dy/d;
        if (gap > 0.2) continue;
        int32_t *at = column + rowptr[n];
        double *value = J + rowptr[n];
        at[0] = 2*i, at[1] = 2*i + 1, value[0] = nx, value[1] = ny;
        b[n] = nx*body[i].vx + ny*body[i].vy + fmax(gap, 0)/h;
        rowptr[n + 1] = rowptr[n] + 2;
        if (j != FLOOR) {
          at[2] = 2*j, at[3] = 2*j + 1, value[2] = -nx, value[3] = -ny;
          b[n] -= nx*body[j].vx + ny*body[j].vy;
          rowptr[n + 1] += 2;
        }
        pair[n][0] = i, pair[n][1] = j, x[n] = known[i][j];
        n++;
      }

    const perp_product matrix = {.n = n, .dofs = 2*DISCS, .rowptr = rowptr, .column = column,
                                 .value = J, .block = 1, .W = W};
    const perp_problem problem = {.A = perp_from_product(&matrix, PERP_CLAIM_NONE), .b = b};
    perp_result result;
    if (perp_solve(solver, &problem, x, &result) != PERP_OK) {
      fprintf(stderr, "%s\n", perp_last_message());
      return 1;
    }
    unsolved += result.status != PERP_STATUS_SOLVED;
    worst = fmax(worst, result.certificate.residual);

    memset(known, 0, sizeof known);
    double *u = &body[0].x;
    for (int32_t k = 0; k < n; k++) {
      known[pair[k][0]][pair[k][1]] = x[k];
      for (int32_t p = rowptr[k]; p < rowptr[k + 1]; p++)         // u += W J'x
        u[4*(column[p]/2) + 2 + column[p]%2] += W[column[p]]*J[p]*x[k];
    }
    for (int i = 0; i < DISCS; i++) body[i].x += h*body[i].vx, body[i].y += h*body[i].vy;
  }
  perp_solver_destroy(solver);

  double lowest = 1;
  for (int i = 0; i < DISCS; i++) lowest = fmin(lowest, body[i].y);
  printf("600 frames, %d unsolved, residual at most %s\n", unsolved, worst <= 1e-8 ? "1e-8" : "?");
  printf("%d contacts at the end, the lowest disc at %.4f\n", n, lowest);
  return unsolved > 0 || lowest < radius - 1e-6;
}

// expect: 600 frames, 0 unsolved, residual at most 1e-8
// expect: the lowest disc at 0.5000
