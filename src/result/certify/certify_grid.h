// certify_grid.h: the certificate of a grid of cells, for certify.c and the driver.
#ifndef PERP_CERTIFY_GRID_H
#define PERP_CERTIFY_GRID_H

#include "certify.h"

void grid_judge_layout(certifier *c, arena *memory, int32_t n);
// R, C, components, G, S. c->x and c->y are not those of x_ref before somebody takes it.
void grid_judge_prepare(certifier *c, const perp_problem *problem);
// As certifier_check() and certifier_check_reference().
void grid_judge_check(certifier *c, const double *x, double tol, double absolute_tol,
                      perp_certificate *certificate);
void grid_judge_reference(certifier *c, double tol, double absolute_tol,
                          perp_certificate *certificate);
void grid_judge_take_reference(certifier *c);   // c->x = x_ref, c->y = A x_ref + b
certify_scale grid_judge_scale(const certifier *c, int32_t i);
int grid_judge_settled(const certifier *c, int32_t i);
void grid_judge_weights(const certifier *c, double *weight);   // n: 1/(C base)
// n: R/base; 1: a row that is not empty, whose component x_ref does not solve
void grid_judge_units(const certifier *c, double *unit, uint8_t *open);
// max r_i / base_c at x, within its bounds, from y = A x + b
double grid_judge_residual(const certifier *c, const double *x, const double *y);
// As certify_evaluate().
certify_row grid_judge_row(const certifier *c, int32_t i, double r, double y, double a, double tol);

#endif
