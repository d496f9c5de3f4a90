// report.c: results for people (aligned rows of at most 80 columns) and for programs (JSON).
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "text.h"

void report_line(const char *label, const char *format, ...) {
  char text[1024], visible[4*sizeof text];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  text_row(stdout, 0, label, REPORT_COLUMN, text_visible(text, visible, sizeof visible));
}

void report_headline(int good, const char *word, const char *text) {
  printf("%s%s%s", text_paint(stdout, good ? TEXT_GOOD : TEXT_BAD), word,
         text_paint(stdout, TEXT_PLAIN));
  int column = 0;
  for (const char *c = word; *c; c++) column++;
  const int start = column + 2 > REPORT_COLUMN ? column + 2 : REPORT_COLUMN;
  printf("%*s", start - column, "");
  text_wrap(stdout, text, start, REPORT_COLUMN);
}

void report_problem(const problem_files *files, const perp_certificate *certificate) {
  char parts[48] = "";
  if (certificate && certificate->components > 1) {
    text_append(parts, sizeof parts, ", %d components", (int)certificate->components);
  }
  report_line("problem", "%s: n = %d, nnz = %lld%s", files->name, (int)files->problem.A.n,
              (long long)files->nnz, parts);
}

void report_certificate(const problem_files *files, const double *x, const double *y,
                        const perp_certificate *certificate) {
  const perp_problem *problem = &files->problem;
  report_line("residual", "%.3g (natural %.3g, gap %.3g)%s", certificate->residual,
              certificate->natural_residual, certificate->gap,
              certificate->attainable ? "; no smaller one is attainable in double precision" : "");
  if (certificate->componentwise > 0.0) {
    report_line("componentwise", "%.3g: the error of row %d relative to its own data",
                certificate->componentwise, (int)certificate->componentwise_row);
  }
  if (certificate->refuted) {
    report_line("refused", "x is within the tolerances, but no solution is near it");
  }
  if (certificate->weaker) {
    report_line("", "weaker certificate: scaled by the diagonal, without time for a look at all "
                    "of A");
  }
  const int32_t i = certificate->worst;
  if (certificate->solved || i < 0 || i >= problem->A.n) return;
  text_buffer range;
  char value[48] = "";
  if (y) snprintf(value, sizeof value, ", y = %.6g", y[i]);
  report_line("worst row", "%d (counting from 0): x = %.6g in %s%s", (int)i, x[i],
              text_range(problem->lo ? problem->lo[i] : 0.0,
                         problem->hi ? problem->hi[i] : INFINITY, 0, 0, &range),
              value);
}

static const struct { int32_t bit; const char *word, *text; } kkt_failures[] = {
  {PERP_KKT_GAP, "gap", "objective and dual objective are too far apart"},
  {PERP_KKT_PRIMAL, "primal", "x is not feasible enough in the scale of the constraints"},
  {PERP_KKT_DUAL, "dual", "x is not stationary enough in the scale of the objective's gradient"},
};
enum { KKT_FAILURES = sizeof kkt_failures/sizeof kkt_failures[0] };

void report_objective(const perp_certificate *certificate, double value) {
  if (!certificate->kkt) {
    if (isfinite(value)) report_line("objective", "%.12g, of 1/2 x'Ax + b'x", value);
    return;
  }
  report_line("objective", "%.12g, dual objective %.12g", certificate->objective,
              certificate->dual_objective);
  report_line("", "of the quadratic program whose optimality conditions these are: infeasible by "
              "%.3g, not stationary by %.3g", certificate->primal_residual,
              certificate->dual_residual);
  for (int k = 0; k < KKT_FAILURES; k++)
    if (certificate->kkt_failed & kkt_failures[k].bit)
      report_line("refused", "%s", kkt_failures[k].text);
}

void report_solution(const problem_files *files, const double *x, const double *y) {
  printf("\n%8s  %24s%s\n", "row", "x", y ? "                         y" : "");
  for (int32_t i = 0; i < files->problem.A.n; i++) {
    printf("%8d  %24.17g", (int)i, x[i]);
    if (y) printf("  %24.17g", y[i]);
    putchar('\n');
  }
}

void report_json_problem(json_t *object, const problem_files *files) {
  json_object_set_new(object, "problem", json_text(files->name));
  json_object_set_new(object, "n", json_integer(files->problem.A.n));
  json_object_set_new(object, "nnz", json_integer(files->nnz));
}

void report_json_certificate(json_t *object, const perp_certificate *certificate,
                             const perp_options *options) {
  json_object_set_new(object, "solved", json_boolean(certificate->solved));
  json_object_set_new(object, "attainable", json_boolean(certificate->attainable));
  json_object_set_new(object, "weaker", json_boolean(certificate->weaker));
  json_object_set_new(object, "worst", json_integer(certificate->worst));
  json_object_set_new(object, "components", json_integer(certificate->components));
  json_object_set_new(object, "residual", json_number(certificate->residual));
  json_object_set_new(object, "natural_residual", json_number(certificate->natural_residual));
  json_object_set_new(object, "bound_violation", json_number(certificate->bound_violation));
  json_object_set_new(object, "gap", json_number(certificate->gap));
  const int kkt = certificate->kkt;
  json_t *failures = json_array();
  for (int k = 0; k < KKT_FAILURES; k++)
    if (certificate->kkt_failed & kkt_failures[k].bit)
      json_array_append_new(failures, json_string(kkt_failures[k].word));
  json_object_set_new(object, "kkt", json_boolean(kkt));
  json_object_set_new(object, "kkt_failed", failures);
  json_object_set_new(object, "dual_objective",
                      json_number(kkt ? certificate->dual_objective : NAN));
  json_object_set_new(object, "primal_residual",
                      json_number(kkt ? certificate->primal_residual : NAN));
  json_object_set_new(object, "dual_residual", json_number(kkt ? certificate->dual_residual : NAN));
  json_object_set_new(object, "componentwise", certificate->componentwise >= 0.0
                                                   ? json_number(certificate->componentwise)
                                                   : json_null());
  json_object_set_new(object, "componentwise_row", json_integer(certificate->componentwise_row));
  json_object_set_new(object, "refuted", json_boolean(certificate->refuted));
  json_object_set_new(object, "tol", json_number(options->tol));
  json_object_set_new(object, "absolute_tol", json_number(options->absolute_tol));
  json_object_set_new(object, "componentwise_tol", json_number(options->componentwise_tol));
}

json_t *report_json_vector(const double *x, int32_t n) {
  json_t *array = json_array();
  for (int32_t i = 0; i < n; i++) json_array_append_new(array, json_number(x[i]));
  return array;
}
