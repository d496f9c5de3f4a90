// problem_folder.h: a problem written as a directory.
#pragma once

#include <perp/gallery.h>

typedef struct problem_parts {
  int32_t n;
  const int32_t *colptr, *row;       // A: n + 1, colptr[n]
  const double *value;               // colptr[n]
  const double *b, *lo, *hi, *x;     // n; NULL: there is no such file
  const double *x0;                  // n, or NULL: the guess
  const perp_layout *grid;           // NULL: no grid.json
  const int32_t *cells;              // n x 3, row by row: which cell of a grid a row is; NULL: no
                                     //   cells.csv
  const char *comment;               // below the banner of each file
  int packed;                        // A.mtx.gz and so on
} problem_parts;

// Both say what went wrong, or was interrupted, and leave nothing behind then.
int problem_folder_create(const char *target, const problem_parts *what);   // there is none yet
int problem_folder_fill(const char *folder, const problem_parts *what);     // there is one

// "A.mtx b.mtx"
const char *problem_folder_files(const problem_parts *what, char *out, size_t size);
