// render_caption.h: what stands on a picture besides the bodies.
#pragma once

#include "footage.h"

// The scene, the moment, contacts and residual; red if a step after row `since` was not solved; the
// command.
void render_caption(render *what, const footage *from, int64_t since, int32_t width,
                    int32_t height);
// What the ends of the colours mean.
void render_legend(render *what, const footage *from, footage_colour colour, int separating,
                   int32_t width, int32_t height);
void render_separating(render *what, const footage *from, const render_camera *camera);
// The impulses at the contacts as arrows, on the body that moves.
void render_forces(render *what, const footage *from, const render_camera *camera);
