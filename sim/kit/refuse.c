// refuse.c: errors, and checks of what a caller passes.
#include "refuse.h"

#include <math.h>
#include <stdarg.h>

#include "plain.h"

perp_error refuse(perp_error code, const char *format, ...) {
  char message[512];   // format may name perp_last_message() itself
  va_list arguments;
  va_start(arguments, format);
  plain_vprint(message, sizeof message, format, arguments);
  va_end(arguments);
  return perp_fail(code, message);
}

perp_error refuse_value(const char *name, double value, const char *allowed) {
  return refuse(PERP_ERROR_ARGUMENT, "%s = %.10g is outside %s", name, value, allowed);
}

perp_error check_ranges(const range *all, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (!(all[k].value >= all[k].least && all[k].value <= all[k].most))   // NAN is not
      return refuse_value(all[k].name, all[k].value, all[k].text);
  return PERP_OK;
}

static perp_error check_length(const char *name, double length) {
  return check_ranges(&(range){name, length, 1e-9, 1e9, "[1e-9, 1e9]"}, 1);
}

perp_error check_lengths(const char *name, const double *lengths, int count) {
  perp_error error = PERP_OK;
  for (int k = 0; k < count && error == PERP_OK; k++) error = check_length(name, lengths[k]);
  return error;
}

perp_error check_vector(const char *name, const double *v) {
  for (int k = 0; k < 3; k++) {
    char which[64];
    plain_print(which, sizeof which, "%s[%d]", name, k);
    if (!(fabs(v[k]) <= MAGNITUDE_MAX)) return refuse_value(which, v[k], "[-1e12, 1e12]");
  }
  return PERP_OK;
}

perp_error check_size(const char *name, size_t size, size_t wanted, const char *begin) {
  if (size == wanted) return PERP_OK;
  return refuse(PERP_ERROR_ARGUMENT, "%s.size = %zu is not %zu: begin with %s", name, size, wanted,
                begin);
}

// A number that has to be 0 in two dimensions.
static perp_error check_flat(int32_t dimension, const char *name, double value) {
  return dimension == 3 || value == 0.0 ? PERP_OK
                                        : refuse_value(name, value, "{0} in two dimensions");
}

perp_error check_normal(int32_t dimension, const double *n) {
  const perp_error error = check_length("the length of the normal",
                                        sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2]));
  return error == PERP_OK ? check_flat(dimension, "normal[2]", n[2]) : error;
}

perp_error check_turn(int32_t dimension, const double *velocity, const double *spin,
                      const double *q) {
  const double length = sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
  perp_error error = check_vector("velocity", velocity);
  if (error == PERP_OK) error = check_vector("spin", spin);
  if (error == PERP_OK)
    error = check_ranges(&(range){"the length of orientation", length, 1.0 - 1e-6, 1.0 + 1e-6,
                                  "[1 - 1e-6, 1 + 1e-6]"}, 1);
  if (error == PERP_OK) error = check_flat(dimension, "velocity[2]", velocity[2]);
  if (error == PERP_OK) error = check_flat(dimension, "spin[0]", spin[0]);
  if (error == PERP_OK) error = check_flat(dimension, "spin[1]", spin[1]);
  if (error == PERP_OK)
    error = check_flat(dimension, "orientation[1] or [2]", q[1] != 0.0 ? q[1] : q[2]);
  return error;
}

perp_error check_common(const common *s) {
  if (s->dimension != 2 && s->dimension != 3)
    return refuse_value("dimension", s->dimension, "{2, 3}");
  const range all[] = {{"threads", s->threads, 1, 1024, "[1, 1024]"},
                       {"step", s->step, 1e-9, 1e3, "[1e-9, 1000]"}};
  perp_error error = check_ranges(all, sizeof all/sizeof *all);
  if (error == PERP_OK && !(s->time_limit > 0.0))
    error = refuse_value("time_limit", s->time_limit, "(0, inf]");
  if (error == PERP_OK) error = check_vector("gravity", s->gravity);
  if (error == PERP_OK) error = check_flat(s->dimension, "gravity[2]", s->gravity[2]);
  if (error == PERP_OK && s->options != NULL)
    error = check_size("options", s->options->size, sizeof *s->options, "perp_default_options()");
  return error;
}

perp_options options_of(const perp_options *given) {
  perp_options options = given != NULL ? *given : perp_default_options(NULL);
  options.trace = NULL;
  options.trace_capacity = 0;
  options.farkas = NULL;
  return options;
}

perp_error check_options(const perp_options *options, const perp_allocator *from) {
  perp_solver *trial = NULL;
  const perp_limits one = {.n = 1, .nnz = 1};
  const perp_error error = perp_solver_create(options->method, &one, options, from, &trial);
  perp_solver_destroy(trial);
  return error == PERP_OK ? PERP_OK : refuse(error, "options: %s", perp_last_message());
}
