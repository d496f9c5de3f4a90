// reproduce.h: experiments of papers, run again: tables and figures with the paper's numbers beside
// ours.
#pragma once

#include "chart.h"
#include "command.h"
#include "document.h"

typedef struct reproduction {   // one run of an experiment
  const char *folder;           // exists
  uint64_t seed;
  int quick;                    // the small problems only
  int quiet;
  int pictures;                 // gnuplot is there
  json_t *files;                // names inside the folder, in the order of writing
} reproduction;

typedef struct experiment {
  const char *name;             // "mns08"
  const char *title;            // one line
  const char *source;           // the paper, and what of it
  int (*run)(reproduction *r);  // 0, or an exit code after having said what went wrong
} experiment;

// A line of progress on stderr, unless quiet.
void reproduction_say(const reproduction *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Writes a file of the folder and remembers its name.
int reproduction_save(reproduction *r, const char *file, document_writer writer, const void *what);
// Draws NAME.svg with its numbers in NAME.tsv; the numbers alone where gnuplot is missing.
int reproduction_draw(reproduction *r, const char *name, chart *picture);
