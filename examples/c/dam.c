// dam.c: a dam breaks: a column of water, 0.4 m wide and 0.6 m high, in a box of one meter.
#include <perp/fluid.h>
#include <stdio.h>

int main(void) {
  perp_fluid_settings settings = perp_fluid_defaults(2, 50, 50, 1);   // dimension, cells
  settings.walls = PERP_WALLS_SEPARATING;
  perp_fluid *fluid;
  perp_fluid_shape column = perp_fluid_box(0.2, 0.3, 0, 0.2, 0.3, 0);   // centre, half of each side
  if (perp_fluid_create(&settings, NULL, &fluid) != PERP_OK ||
      perp_fluid_pour(fluid, &column, NULL) != PERP_OK)
    return puts(perp_last_message()), 1;

  for (int frame = 1; frame <= 24; frame++) {
    perp_fluid_report report;
    perp_fluid_state state;
    if (perp_fluid_step(fluid, &report) != PERP_OK) return puts(perp_last_message()), 1;
    perp_fluid_read(fluid, &state);
    double front = 0;
    for (int64_t i = 0; i < state.particles; i++)
      if (state.x[0][i] > front) front = state.x[0][i];
    if (frame%6 == 0)
      printf("%.1f s: front at %.2f m, %d of %d pressure problems solved, volume %.3f of %.3f\n",
             report.time, front, report.solved, report.solved + report.unsolved, report.volume,
             report.poured);
  }
  perp_fluid_destroy(fluid);
  return 0;
}

// In experiments (Martin and Moyce 1952, Table 2: height 2 a, width a) the front is as fast and later
// by about 0.3 sqrt(a/2g), in which the wall in front of the water is pulled away.
// expect: 0.1 s: front at 0.4
// expect: 0.2 s: front at 0.7
// expect: 0.3 s: front at 1.0
// expect: 0.4 s: front at 1.0
