// american_put.c: an American option by libperp-american: price, error, Greeks, when to exercise.
//
//     cc american_put.c $(pkg-config --cflags --libs perp-american) -o american_put
// expect: price 4.4867
// expect: delta -0.697
// expect: exercise today below 32.9
// expect: every one of
#include <perp/american.h>
#include <stdio.h>

int main(void) {
  const perp_american put = {.kind = PERP_AMERICAN_PUT, .exercise = PERP_EXERCISE_AMERICAN,
                             .spot = 36, .strike = 40, .rate = 0.06, .volatility = 0.2,
                             .maturity = 1};
  perp_american_settings settings = perp_american_defaults();
  settings.nodes = 1600;
  settings.steps = 800;
  perp_american_result result;
  if (perp_american_price(&put, &settings, &result) != PERP_OK) {
    fprintf(stderr, "%s\n", result.message);
    return 1;
  }
  printf("price %.4f, give or take %.1g\n", result.price, result.error);
  printf("delta %.3f, gamma %.4f, theta %.3f, vega %.2f, rho %.2f\n", result.delta, result.gamma,
         result.theta, result.vega, result.rho);
  printf("exercise today below %.1f", result.boundary_spot[0]);
  for (int32_t i = 0; i < result.boundary_count; i++)
    if (result.boundary_time[i] >= 0.5) {
      printf(", in half a year below %.1f", result.boundary_spot[i]);
      break;
    }
  // A price from steps that were not solved would be a guess: the certificate counts them.
  const int solved = result.unsolved == 0;
  printf("\n%s of the %lld steps is certified\n", solved ? "every one" : "not every one",
         (long long)result.solves);
  perp_american_free(&result);
  return solved ? 0 : 1;
}
