// report.h: results for people (aligned rows of at most 80 columns) and for programs (JSON).
#pragma once

#include "problem_files.h"

enum {
  REPORT_COLUMN = 17,   // wide enough for "iteration limit" and "measure reached"
  REPORT_SMALL = 10
};   // solutions up to REPORT_SMALL rows are printed unasked

void report_line(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_headline(int good, const char *word, const char *text);   // "solved        ..."

void report_problem(const problem_files *files, const perp_certificate *certificate);
void report_certificate(const problem_files *files, const double *x, const double *y,
                        const perp_certificate *certificate);
// value: of a symmetric problem; NAN: nothing. That of a quadratic program is the certificate's.
void report_objective(const perp_certificate *certificate, double value);
void report_solution(const problem_files *files, const double *x,
                     const double *y);   // y may be NULL

// JSON: nothing happens without --json.
void report_json_problem(json_t *object, const problem_files *files);
void report_json_certificate(json_t *object, const perp_certificate *certificate,
                             const perp_options *options);
json_t *report_json_vector(const double *x, int32_t n);
