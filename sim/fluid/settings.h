// settings.h: checks of settings and shapes, and the largest grid.
#pragma once

#include "state.h"

#define CELLS_MAX 268435456.0  // 2^28: indices of faces and corners are int32_t
enum { SIDE_CELLS_MAX = 16384, SIDE_PARTICLES_MAX = 4 };

perp_error settings_check(const perp_fluid_settings *s);
// *taken is s as the stages want it: in two dimensions at z = 0, boxes without end along z
perp_error settings_check_shape(const perp_fluid_shape *s, int32_t dimension,
                                perp_fluid_shape *taken);
