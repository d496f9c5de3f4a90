// american.h: American, Bermudan and European options under Black-Scholes, by libperp-american.
//
// Every time step is a complementarity problem with three diagonals, solved and certified by
// libperp; see docs/options.md.
#ifndef PERP_AMERICAN_H
#define PERP_AMERICAN_H

#include "perp.h"

#ifdef __cplusplus
extern "C" {
#endif

// The right to sell at the strike (put), or to buy (call).
typedef enum perp_american_kind { PERP_AMERICAN_PUT, PERP_AMERICAN_CALL } perp_american_kind;

typedef enum perp_exercise {  // when the right can be used
  PERP_EXERCISE_AMERICAN,     // at any time
  PERP_EXERCISE_EUROPEAN,     // at maturity
  PERP_EXERCISE_BERMUDAN      // at the dates, and at maturity
} perp_exercise;

typedef struct perp_american {  // times in years, rates per year and continuously compounded
  perp_american_kind kind;
  perp_exercise exercise;
  double spot, strike;        // S0 >= 0, K > 0
  double rate, dividend;      // r, q: any sign, |r| T and |q| T at most 50
  double volatility;          // sigma >= 0, sigma sqrt(T) at most 20
  double maturity;            // T >= 0
  const double *dates;        // Bermudan: date_count times from now in [0, T], ascending
  int32_t date_count;
} perp_american;

typedef struct perp_american_settings {   // from perp_american_defaults()
  size_t size;                // sizeof(perp_american_settings)
  int32_t nodes, steps;       // intervals of the grid, 16 to 10^7, and time steps, 16 to 10^7
  const perp_options *options;   // of the steps: method, tol, ...; NULL: tridiagonal's defaults
  int32_t estimate;           // 1: solve on half the grid too, extrapolate, estimate the error
  int32_t sensitivities;      // 1: vega and rho, by four prices on a quarter of the grid
  int (*on_step)(void *context, int64_t done, int64_t total);   // called often; non-zero: stop
  void *context;
  const perp_allocator *allocator;   // NULL: malloc
} perp_american_settings;
perp_american_settings perp_american_defaults(void);   // settings to start from

typedef struct perp_american_result {   // perp_american_free() releases its curves
  double price;               // today
  double error;               // an estimate of |price - exact|; NAN without settings.estimate
  double delta, gamma;        // dV/dS0, d2V/dS0^2
  double theta;               // -dV/dT: per year
  double vega, rho;           // dV/dsigma, dV/dr; NAN without settings.sensitivities
  double coarse;              // the price on half the grid
  double fine;                // the price on the whole grid, before extrapolation
  int32_t nodes, steps;       // as used: rounded up so that half the grid is a grid
  int64_t solves;             // complementarity problems, on all grids
  int64_t unsolved;           // of `solves`: those that the certificate does not call solved
  int64_t iterations, factorizations;   // of all these problems
  double residual;            // the largest one of all steps
  int32_t stopped;            // 1: on_step asked to stop, and nothing else here is valid
  // The value today over the grid, and the exercise boundary from now to maturity; NULL: none.
  int32_t curve_count;
  double *curve_spot, *curve_value, *curve_payoff;   // curve_count
  int32_t boundary_count;     // points of the exercise boundary
  double *boundary_time;      // boundary_count: from now
  double *boundary_spot;      // where exercise begins: below it (put) or above it (call); NAN: none
  double *boundary_other;     // the other end of the exercise region, where it has one; else NAN
  char message[256];          // why the call failed, or which step was not solved and why
} perp_american_result;

// If it fails, perp_last_message() and result->message say why.
perp_error perp_american_price(const perp_american *option, const perp_american_settings *settings,
                               perp_american_result *result);
// Releases the curves of a result that perp_american_price() has filled.
void perp_american_free(perp_american_result *result);

// The closed formula of Black, Scholes and Merton: European. NAN where option is NULL.
double perp_american_european(const perp_american *option);

#ifdef __cplusplus
}
#endif
#endif
