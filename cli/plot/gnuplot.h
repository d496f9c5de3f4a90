// gnuplot.h: pictures drawn by gnuplot as a child process: a script in, a whole file out or none.
#pragma once

#include <stdio.h>

// Before a long computation: 0, or an exit code after having said what is missing. `option` is what
// asked for the picture, "--plot"; `instead` what to do without gnuplot, or NULL.
int gnuplot_check(const char *option, const char *path, const char *instead);

int gnuplot_is_svg(const char *path);
// On PATH: 1, and where if path is not NULL; or 0.
int gnuplot_find_program(const char *name, char *path, size_t size);

// Begins a script: the terminal for *.svg or *.png, with that size in pixels of an SVG; a PNG shows
// the same at twice the resolution. Then frame, grid and tics in the colours of all pictures.
void gnuplot_begin(FILE *script, const char *path, int width, int height);
void gnuplot_style(FILE *script);   // frame, grid and tics once more, after a reset

// Text in quotes, such that gnuplot interprets nothing in it; control characters are what
// text_next() makes of them. Say noenhanced behind it.
void gnuplot_text(FILE *script, const char *text);

// Runs the script, which it closes; 0, or an exit code after having said what went wrong. The
// picture appears under its name complete or not at all.
int gnuplot_draw(FILE *script, const char *path);
FILE *gnuplot_script(void);   // an empty one, or NULL after having said why
