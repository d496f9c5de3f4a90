// bouncing_ball.c: a ball falls from 1 m and bounces with restitution 0.8.
#include <perp/contact.h>
#include <stdio.h>

int main(void) {
  perp_world *world;
  perp_world_settings settings = perp_world_defaults();
  settings.step = 1e-3;
  settings.restitution = 0.8;
  perp_world_create(&settings, NULL, &world);
  perp_body floor = perp_plane(0, 1, 0, 0), ball = perp_sphere(0.1, 1.0);
  ball.motion.position[1] = 1.1;
  perp_world_add(world, &floor, NULL);
  perp_world_add(world, &ball, NULL);

  double above = 1, rising = 0;
  for (int bounces = 0; bounces < 4;) {
    perp_world_report report;
    if (perp_world_step(world, &report) != PERP_OK || report.unsolved > 0) return 1;
    const perp_motion *ball_now = perp_world_motions(world) + 1;
    if (rising > 0 && ball_now->velocity[1] <= 0)   // it was rising and is not any more
      printf("bounce %d: up to %.3f m after %.2f s\n", ++bounces, above, report.time);
    rising = ball_now->velocity[1];
    above = ball_now->position[1] - 0.1;
  }
  perp_world_destroy(world);
  return 0;
}

// Heights fall by 0.8^2 = 0.64 a bounce.
// expect: bounce 1: up to 0.64
// expect: bounce 2: up to 0.41
// expect: bounce 3: up to 0.26
// expect: bounce 4: up to 0.16
