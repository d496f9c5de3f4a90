// render_caption.h: what a picture shows besides the scene: caption, legend, arrows.
#pragma once

#include "drawing.h"

// Where the text of a picture goes.
typedef struct render_page {
  int32_t width, height;
  drawing_colour colour;
  int separating;              // such cells are marked
  int lifted;                  // the legend stands above the command, and not beside it
} render_page;
int render_lifts(const drawing *from, const render_page *page);   // there is no room beside it

// The scene, the moment, contacts and residual; red if a step after row `since` was not solved; the
// command.
void render_caption(render *what, const drawing *from, int64_t since, const render_page *page);
// What the ends of the colours mean.
void render_legend(render *what, const drawing *from, const render_page *page);
void render_separating(render *what, const drawing *from, const render_camera *camera);
// The impulses at the contacts as arrows, on the body that moves.
void render_forces(render *what, const drawing *from, const render_camera *camera);
