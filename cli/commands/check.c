// check.c: perp check: computes the certificate of an x, independently of any method.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "quadratic_objective.h"
#include "proofs.h"
#include "report.h"
#include "solve_settings.h"
#include "text.h"

static int certify(const arguments *args, const problem_files *files, const double *x,
                   const perp_options *options, double *y) {
  perp_certificate certificate;
  perp_tolerances tolerances = perp_default_tolerances();
  tolerances.tol = options->tol;
  tolerances.absolute_tol = options->absolute_tol;
  tolerances.componentwise_tol = options->componentwise_tol;
  const perp_error error = perp_certify_with(&files->problem, x, &tolerances, y, &certificate);
  if (error != PERP_OK) return fail_library(error);
  const char *output = argument(args, "output");
  int code = certificate.solved ? CODE_OK : CODE_UNSOLVED;
  if (output) {
    char message[512] = "";
    const int written =
        mtx_write_vector(output, files->problem.A.n, y, "y = A x + b", message, sizeof message);
    if (written) code = fail(written, "%s", message);
  }
  const double value = certificate.kkt ? certificate.objective : objective(files, x, y);
  json_t *object = message_object();
  if (object) {
    json_object_set_new(object, "status", json_string(certificate.solved ? "solved" : "unsolved"));
    report_json_problem(object, files);
    report_json_certificate(object, &certificate, options);
    json_object_set_new(object, "objective", json_number(value));
    return code;
  }
  if (output && !strcmp(output, "-")) return code;   // y is on the standard output
  // The residual is small, but the certificate cannot trust the sums behind it.
  const int hidden = !certificate.solved && certificate.residual <= options->tol &&
                     !certificate.refuted && !certificate.kkt_failed &&
                     !(certificate.componentwise > 0.0);
  report_headline(certificate.solved, certificate.solved ? "holds" : "fails",
                  certificate.solved ? "x solves the problem"
                  : hidden           ? "x cannot be certified"
                                     : "x does not solve the problem");
  report_problem(files, &certificate);
  text_buffer tol, absolute;
  if (options->absolute_tol > 0.0) {
    report_line("tolerance", "%s, or %s in the units of y", text_number(options->tol, &tol),
                text_number(options->absolute_tol, &absolute));
  } else {
    report_line("tolerance", "%s", text_number(options->tol, &tol));
  }
  report_certificate(files, x, y, &certificate);
  report_objective(&certificate, value);
  if (hidden)
    report_line("refused", "the terms of A x + b are too large: rounding or overflow may hide an "
                           "error");
  if (certificate.bound_violation > 0.0)
    report_line("bounds", "x leaves them by up to %.3g", certificate.bound_violation);
  else report_line("bounds", "kept exactly");
  if (output) report_line("y", "%s", output);
  return code;
}

static int run(const arguments *args) {
  const perp_method *method = perp_default_options(NULL).method;
  perp_options options = perp_default_options(method);
  int code = settings_apply(args, method, &options);
  if (code) return code;
  const char *infeasible = argument(args, "infeasible");
  const int wanted = infeasible ? 0 : 1;   // operands besides the directory
  if (args->operands < wanted) {
    return fail(CODE_USAGE, "the answer X.mtx is missing; usage: perp check %s",
                args->command->synopsis[0]);
  }
  const char *directory = args->operands > wanted ? args->operand[0] : NULL;
  if (infeasible && args->operands > 1) {
    return fail(CODE_USAGE, "unexpected argument '%s'; usage: perp check %s", args->operand[1],
                args->command->synopsis[1]);
  }
  if (infeasible && !directory && !argument(args, "matrix")) {
    return fail(CODE_USAGE, "a directory is needed; usage: perp check %s",
                args->command->synopsis[1]);
  }
  const char *path = infeasible ? infeasible : args->operand[args->operands - 1];
  if (!directory && !argument(args, "matrix")) {
    return fail(CODE_USAGE, "a directory and x are needed; usage: perp check %s",
                args->command->synopsis[0]);
  }
  const char *output = argument(args, "output");
  char message[512] = "";
  if (output && (code = file_check(output, message, sizeof message)) != 0)
    return fail(code, "%s", message);
  problem_files files;
  code = problem_files_read(args, directory, 0, 0, &files);
  if (code) return code;
  if (infeasible) {
    code = proofs_check(&options, &files, infeasible);
    problem_files_free(&files);
    return code;
  }
  mtx_matrix x = {0};
  double *y = malloc(((size_t)files.problem.A.n + 1)*sizeof *y);
  if (!y) code = fail(CODE_IO, "out of memory for %d unknowns", (int)files.problem.A.n);
  if (!code) code = problem_files_vector(path, files.problem.A.n, 0, 0, &x);
  if (!code) code = certify(args, &files, x.value, &options, y);
  mtx_free(&x);
  free(y);
  problem_files_free(&files);
  return code;
}

static const option_row rows[] = {
  OPTION_PROBLEM,
  {"output", 'o', "FILE", OPTION_FILE,
   "write y = A x + b as Matrix Market; - is the standard output"},
  {"infeasible", 0, "FILE", OPTION_FILE,
   "check a Farkas vector u, which may prove that there is no solution, instead of an answer"},
  OPTION_JSON,
  {0}
};

extern const command command_check;
const command command_check = {
  .name = "check",
  .title = "check an answer with an independent certificate",
  .synopsis = {"DIR X.mtx [OPTION]...", "DIR --infeasible U.mtx [OPTION]...",
               "-A FILE -b FILE X.mtx [OPTION]..."},
  .description =
    "Computes the certificate of x from the files alone. It evaluates y = A x + b in compensated "
    "arithmetic and measures how far each row is from being complementary, in units that do not "
    "change when the problem is scaled. The exit status is 0 only if the certificate holds.\n\n"
    "The residual is relative to the residual of the trivial point (0, clamped to the bounds) in "
    "the same connected component, so 1 means 'no better than doing nothing'. If the entries of A "
    "differ widely, x has to pass two scalings of A, and the trivial point may score slightly more "
    "than 1. The natural residual is max |x - clamp(x - y, lo, hi)| in the problem's own units. "
    "The componentwise residual compares each row with its own data, so an error in a small row is "
    "not hidden by a larger row.\n\n"
    "If A is the matrix of the optimality conditions of a quadratic program, [P -B'; B 0], the "
    "report also has the primal and dual objectives and the primal and dual infeasibility of x. If "
    "the two objectives disagree, x is refused.\n\n"
    "With --infeasible, u has to prove that there is no solution. u must be >= 0 on rows with only "
    "a lower bound, <= 0 on rows with only an upper bound and 0 on rows with both, and u'(A x + b) "
    "must be < 0 for every x within its bounds, by more than --tol, rounding errors and the "
    "rounding of the data can explain. The exit status is 0 only if u proves it. If A'u has a "
    "wrong sign in some row, u may still prove that no solution has |x|_1 below a radius; the "
    "status is then 'no small solution' and the exit status is 1.",
  .options = rows,
  .dynamic = DYNAMIC_CERTIFICATE,
  .operands_min = 0,
  .operands_max = 2,
  .operands_help = "the answer X.mtx",
  .examples = {
    {"perp check demo x.mtx", "does x solve the problem in demo?"},
    {"perp check demo x.mtx --tol 1e-10 --json", "to ten digits, as JSON"},
    {"perp check demo --infeasible u.mtx", "does u prove that demo has no solution?"},
  },
  .run = run,
};
