// option_report.h: reports a price: for people, as JSON, as a table, as pictures.
#pragma once

#include <perp/american.h>

typedef struct option_answer {
  const perp_american *option;
  const perp_method *method;
  const perp_american_result *result;
  double seconds;
} option_answer;

void option_report(const option_answer *what);                 // rows on stdout, or into --json
int option_write(const option_answer *what, const char *path); // TSV: the value, then the boundary
int option_plot(const option_answer *what, const char *path);  // FILE.svg and FILE-boundary.svg
// figure.svg -> figure-boundary.svg
const char *option_boundary_path(const char *path, char *out, size_t size);
