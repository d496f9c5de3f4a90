// proofs.c: what perp solve can add to an answer: an error bound, a proof, a Farkas vector.
#include "proofs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"
#include "solve_settings.h"
#include "text.h"

int proofs_begin(const arguments *args, int32_t n, proofs *out) {
  *out = (proofs){.args = args};
  const size_t room = (size_t)n + 1;
  const int wants_bound = argument(args, "bound") || argument(args, "bound-output");
  if (argument(args, "certificate")) out->farkas = calloc(room, sizeof *out->farkas);
  if (wants_bound) out->bound = calloc(room, sizeof *out->bound);
  if ((argument(args, "certificate") && !out->farkas) || (wants_bound && !out->bound))
    return fail(CODE_IO, "out of memory for %d unknowns", (int)n);
  return CODE_OK;
}

static int write_vector(const char *path, int32_t n, const double *v, const char *comment) {
  char message[512] = "";
  const int code = mtx_write_vector(path, n, v, comment, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}

static int is_proof(const perp_result *result) {
  return result->status == PERP_STATUS_INFEASIBLE ||
         result->status == PERP_STATUS_NO_SMALL_SOLUTION;
}

int proofs_compute(proofs *p, const problem_files *files, const perp_result *result) {
  const perp_problem *problem = &files->problem;
  const int32_t n = problem->A.n;
  const char *certificate = argument(p->args, "certificate");
  const char *bounds = argument(p->args, "bound-output");
  char comment[240];
  if (certificate && is_proof(result)) {
    if (result->status == PERP_STATUS_INFEASIBLE)
      snprintf(comment, sizeof comment, "Farkas vector: there is no solution");
    else
      snprintf(comment, sizeof comment, "Farkas vector: no solution has |x|_1 < %.4g",
               result->radius);
    p->certificate_code = write_vector(certificate, n, p->farkas, comment);
    p->certificate_written = !p->certificate_code;
  }
  if (p->bound) {
    const perp_error error = perp_error_bound(problem, files->x, NULL, p->bound, &p->error_bound);
    if (error != PERP_OK) return fail_library(error);
    p->bounded = 1;
    if (bounds) {
      snprintf(comment, sizeof comment, "|x - x*| at most this: %s", p->error_bound.reason);
      p->bound_code = write_vector(bounds, n, p->bound, comment);
    }
  }
  if (argument(p->args, "prove")) {
    double *ends = malloc(2*((size_t)n + 1)*sizeof *ends);
    if (!ends) return fail(CODE_IO, "out of memory for %d unknowns", (int)n);
    const perp_error error = perp_prove(problem, files->x, NULL, ends, ends + n + 1, &p->proof);
    free(ends);
    if (error != PERP_OK) return fail_library(error);
    p->tried = 1;
  }
  return p->certificate_code ? p->certificate_code : p->bound_code;
}

void proofs_report(const proofs *p, const perp_result *result) {
  const char *certificate = argument(p->args, "certificate");
  const char *bounds = argument(p->args, "bound-output");
  if (result->status == PERP_STATUS_NO_SMALL_SOLUTION)
    report_line("radius", "no solution has |x|_1 < %.4g; a larger one may exist", result->radius);
  if (p->bounded && p->error_bound.known)
    report_line("error bound", "%.3g at most in any row; %s", p->error_bound.largest,
                p->error_bound.reason);
  else if (p->bounded) report_line("error bound", "unknown: %s", p->error_bound.reason);
  if (p->tried)
    report_line("proof", "%s%s", p->proof.proven ? "" : "not proven: ", p->proof.reason);
  if (bounds && p->bounded && !p->bound_code) report_line("bound file", "%s", bounds);
  if (p->certificate_written) report_line("certificate", "%s", certificate);
  else if (certificate && !p->certificate_code)
    report_line("certificate", "not written: %s",
                result->status == PERP_STATUS_SOLVED ? "there is a solution"
                                                     : "no Farkas vector was found");
}

void proofs_json(const proofs *p, const perp_result *result, json_t *object) {
  if (is_proof(result)) {   // null: there is no solution at all
    json_object_set_new(object, "radius", json_number(result->radius));
  }
  if (argument(p->args, "certificate")) {
    json_object_set_new(object, "certificate",
                        p->certificate_written ? json_text(argument(p->args, "certificate"))
                                               : json_null());
  }
  if (p->bounded) {
    json_t *item = json_object();
    json_object_set_new(item, "known", json_boolean(p->error_bound.known));
    json_object_set_new(item, "largest", json_number(p->error_bound.largest));
    json_object_set_new(item, "reason", json_text(p->error_bound.reason));
    json_object_set_new(object, "bound", item);
  }
  if (p->tried) {
    json_t *item = json_object();
    json_object_set_new(item, "proven", json_boolean(p->proof.proven));
    json_object_set_new(item, "worst", json_integer(p->proof.worst));
    json_object_set_new(item, "free_count", json_integer(p->proof.free_count));
    json_object_set_new(item, "width", json_number(p->proof.width));
    json_object_set_new(item, "reason", json_text(p->proof.reason));
    json_object_set_new(object, "proof", item);
  }
}

void proofs_free(proofs *p) {
  free(p->farkas);
  free(p->bound);
}

// What u proves, in words: the status, and a sentence.
typedef struct verdict { const char *status, *text; } verdict;

static verdict verdict_of(const perp_farkas *farkas) {
  if (farkas->proven)
    return (verdict){perp_status_name(PERP_STATUS_INFEASIBLE),
                     "u proves that the problem has no solution"};
  if (farkas->bounded)
    return (verdict){perp_status_name(PERP_STATUS_NO_SMALL_SOLUTION),
                     "u proves that no solution has |x|_1 below the radius"};
  return (verdict){"unproven", "u does not prove that the problem has no solution"};
}

int proofs_check(const perp_options *options, const problem_files *files, const char *path) {
  mtx_matrix u = {0};
  const int code = problem_files_vector(path, files->problem.A.n, 0, 0, &u);
  if (code) return code;
  perp_farkas farkas;
  const perp_error error = perp_check_farkas_within(&files->problem, u.value, options->tol,
                                                    options->absolute_tol, NULL, &farkas);
  mtx_free(&u);
  if (error != PERP_OK) return fail_library(error);
  const verdict found = verdict_of(&farkas);
  json_t *object = message_object();
  if (object) {
    json_object_set_new(object, "status", json_string(found.status));
    report_json_problem(object, files);
    json_object_set_new(object, "proven", json_boolean(farkas.proven));
    json_object_set_new(object, "bounded", json_boolean(farkas.bounded));
    json_object_set_new(object, "worst", json_integer(farkas.worst));
    json_object_set_new(object, "radius", json_number(farkas.radius));
    json_object_set_new(object, "value", json_number(farkas.value));
    json_object_set_new(object, "allowed", json_number(farkas.allowed));
    json_object_set_new(object, "reason", json_text(farkas.reason));
  } else {
    text_buffer radius;
    report_headline(farkas.proven, found.status, found.text);
    report_problem(files, NULL);
    report_line("reason", "%s", farkas.reason);
    if (-farkas.value > farkas.allowed)   // otherwise it excludes nothing that was not rounded
      report_line("radius", "%s%s", text_number(farkas.radius, &radius),
                  isinf(farkas.radius) ? ": no solution of any size"
                                       : ": no solution has a smaller |x|_1");
  }
  return farkas.proven ? CODE_OK : CODE_UNSOLVED;
}
