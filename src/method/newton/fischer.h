// fischer.h: the Fischer-Burmeister function of a row with bounds, and its generalised gradient.
#ifndef PERP_FISCHER_H
#define PERP_FISCHER_H

// The pair that replaces (a, b)/|(a, b)| at a kink, where a = b = 0.
typedef struct fischer_choice {
  double x, y;          // direction 0: the pair itself, |(x, y)| <= 1, an element of Clarke's
                        // generalised gradient
  int direction;        // 1: the pair is a direction in which the kink is approached; the limit of
                        // gradients is an element of the B-subdifferential
} fischer_choice;

typedef struct fischer_row {
  double F;             // with u = 0: zero exactly if x and y solve the row
  double x, y, u;       // derivatives; those by x and y are <= 0 within the bounds
} fischer_row;

double fischer_burmeister(double a, double b);   // sqrt(a^2 + b^2) - a - b without cancellation
// F of a row with psi(a, b) = sqrt(a^2 + b^2 + u^2) - a - b. u: smoothing; 0: E13 5.5.
fischer_row fischer_at(double u, double x, double y, double lo, double hi, fischer_choice at_kink);
// Tells whether F with u = 0 has a kink: y = 0 and x at a bound, within epsilon. -1: at lo, 1: at
// hi, 0: no kink.
int fischer_kink(double x, double y, double lo, double hi, double epsilon);

#endif
