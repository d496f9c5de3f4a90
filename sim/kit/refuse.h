// refuse.h: errors of the libraries of sim/, and the checks of what a caller passes that several of
// them make. A check returns PERP_OK, or an error whose text is in perp_last_message().
#ifndef PERP_REFUSE_H
#define PERP_REFUSE_H

#include <perp/perp.h>

// Largest position, velocity and gravity: their squares and products stay finite.
#define MAGNITUDE_MAX 1e12

perp_error refuse(perp_error code, const char *format, ...);   // returns the code
// "NAME = VALUE is outside ALLOWED"
perp_error refuse_value(const char *name, double value, const char *allowed);

typedef struct range {        // of a number
  const char *name;
  double value, least, most;
  const char *text;           // "[0, 1]"
} range;
perp_error check_ranges(const range *all, size_t count);
perp_error check_vector(const char *name, const double *v);   // 3: within MAGNITUDE_MAX
// sizeof of a struct that comes from a function: "begin with BEGIN"
perp_error check_size(const char *name, size_t size, size_t wanted, const char *begin);
// velocity, spin (3) and orientation (4) of a body
perp_error check_turn(int32_t dimension, const double *velocity, const double *spin,
                      const double *orientation);
// A direction and the lengths of a shape, of which `count` matter.
perp_error check_normal(int32_t dimension, const double *normal);
perp_error check_lengths(const char *name, const double *lengths, int count);

typedef struct common {       // settings that all simulations have
  int32_t dimension, threads;
  double step, time_limit;
  const double *gravity;      // 3
  const perp_options *options;
} common;
perp_error check_common(const common *s);
// The options of the problems of a step: those given, without what belongs to a single solve.
perp_options options_of(const perp_options *given);
// Refuses invalid options before the first step that has a problem.
perp_error check_options(const perp_options *options, const perp_allocator *from);

#endif
