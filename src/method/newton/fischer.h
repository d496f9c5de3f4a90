// fischer.h: the Fischer-Burmeister function of a row with bounds, and its generalised gradient.
#ifndef PERP_FISCHER_H
#define PERP_FISCHER_H

// psi(a, b) = lambda (sqrt(a^2 + b^2 + u^2) - a - b) - (1 - lambda) a+ b+
typedef struct fischer_form {
  double lambda;        // 1: Fischer-Burmeister, E13 5.5; less: penalised
  double u;             // smoothing; 0: none
} fischer_form;

// What stands for (a, b)/|(a, b)| at a kink, where a = b = 0.
typedef struct fischer_choice {
  double x, y;          // the pair itself, |(x, y)| <= 1: an element of Clarke's generalised
                        //   gradient;
  int direction;        // 1: a direction in which the kink is approached: the limit of gradients,
                        //   an element of the B-subdifferential
} fischer_choice;

typedef struct fischer_row {
  double F;             // 0 exactly where x and y solve the row, if u = 0
  double x, y, u;       // derivatives; those by x and y are <= 0 within the bounds
} fischer_row;

double fischer_burmeister(double a, double b);   // sqrt(a^2 + b^2) - a - b without cancellation
fischer_row fischer_at(const fischer_form *form, double x, double y, double lo, double hi,
                       fischer_choice at_kink);
// F has a kink, if u = 0, where y = 0 and x is at a bound: -1 at lo, 1 at hi, both within epsilon;
// 0: elsewhere
int fischer_kink(double x, double y, double lo, double hi, double epsilon);

#endif
