// solve.c: perp solve: reads a problem, solves it, and writes what was asked for.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "convergence.h"
#include "file.h"
#include "interrupt.h"
#include "quadratic_objective.h"
#include "progress.h"
#include "proofs.h"
#include "report.h"
#include "solve_settings.h"
#include "text.h"
#include "trace.h"

enum {
  TRACE_CAPACITY = 65536,     // iterations of --trace and --plot
  SHOWN_SOLUTIONS_MAX = 100   // of --all, unless --print asks for more
};

typedef struct session {
  const arguments *args;
  const perp_method *asked;          // by --method, or auto
  perp_options options;
  problem_files files;
  perp_result result;
  progress live;
  double *y;                         // n: A x + b
  double objective;                  // NAN: A is not symmetric, and no KKT matrix
  proofs extra;                      // --bound, --prove, --certificate
  int all;                           // --all
  int64_t solutions;
  double *kept;                      // kept_count x n: those that will be shown
  int32_t *kept_dimension;           // kept_count
  int64_t kept_count;
  json_t *solution_list;             // --all --json
  int failed;                        // an exit code from inside a callback
  int output_code, trace_code, plot_code;   // how writing each went
} session;

static int show_x(const session *s) {
  return argument(s->args, "print") || s->files.problem.A.n <= REPORT_SMALL;
}

static int on_iteration(void *context, const perp_statistics *statistics) {
  session *s = context;
  progress_show(&s->live, statistics);
  return interrupt_seen();
}

// out.mtx -> out-3.mtx, keeping .mtx.gz together
static void numbered(const char *path, long long number, char *out, size_t size) {
  const char *slash = strrchr(path, '/');
  const char *dot = strstr(slash ? slash : path, ".mtx");
  if (!dot) dot = path + strlen(path);
  snprintf(out, size, "%.*s-%lld%s", (int)(dot - path), path, number, dot);
}

// Notes a solution to be shown after the verdict.
static void keep_solution(session *s, const double *x, int32_t n, int32_t dimension) {
  const int asked = argument(s->args, "print") != NULL;
  if (!show_x(s) || (argument(s->args, "output") && !asked)) return;
  if (!asked && s->kept_count == SHOWN_SOLUTIONS_MAX) return;
  const size_t count = (size_t)s->kept_count;
  if ((count & (count - 1)) == 0) {   // room for the next power of two
    const size_t room = count ? 2*count : 1;
    double *kept = realloc(s->kept, room*((size_t)n + 1)*sizeof *kept);
    if (kept) s->kept = kept;
    int32_t *sizes = realloc(s->kept_dimension, room*sizeof *sizes);
    if (sizes) s->kept_dimension = sizes;
    if (!kept || !sizes) {
      s->failed = fail(CODE_IO, "out of memory for %lld solutions", (long long)s->solutions);
      return;
    }
  }
  memcpy(s->kept + count*(size_t)n, x, (size_t)n*sizeof *x);
  s->kept_dimension[count] = dimension;
  s->kept_count++;
}

static int on_solution(void *context, const double *x, int32_t n, int32_t dimension) {
  session *s = context;
  const char *output = argument(s->args, "output");
  s->solutions++;
  if (output) {
    char path[4096], message[512] = "", comment[96];
    numbered(output, (long long)s->solutions, path, sizeof path);
    snprintf(comment, sizeof comment, "solution %lld, dimension %d", (long long)s->solutions,
             (int)dimension);
    const int code = mtx_write_vector(path, n, x, comment, message, sizeof message);
    if (code) s->failed = fail(code, "%s", message);
  }
  if (s->solution_list) {
    json_t *item = json_object();
    json_object_set_new(item, "dimension", json_integer(dimension));
    if (show_x(s)) json_object_set_new(item, "x", report_json_vector(x, n));
    json_array_append_new(s->solution_list, item);
  } else {
    keep_solution(s, x, n, dimension);
  }
  return s->failed || interrupt_seen();
}

// --all needs a method that looks for all solutions: --method names it, else the first there is.
static const perp_method *choose_method(const arguments *args) {
  const char *name = argument(args, "method");
  const perp_method *method = method_find(name ? name : "auto");
  if (!method || !argument(args, "all") || (method->traits & PERP_TRAIT_ALL)) return method;
  char names[256] = "";
  const perp_method *first = NULL;
  for (int32_t i = 0; i < perp_method_count(); i++) {
    const perp_method *other = perp_method_at(i);
    if (!(other->traits & PERP_TRAIT_ALL)) continue;
    if (!first) first = other;
    text_append(names, sizeof names, "%s%s", *names ? ", " : "", other->name);
  }
  if (first && !name) return first;
  fail(CODE_USAGE, "--all: method %s looks for one solution only; methods that look for all: %s",
       method->name, names);
  return NULL;
}

// The number of outputs that go to the standard output. If there is one, nothing else is printed
// there.
static int outputs_to_stdout(const arguments *args) {
  const char *output = argument(args, "output"), *trace = argument(args, "trace");
  return (output && !strcmp(output, "-")) + (trace && !strcmp(trace, "-"));
}

static int check_outputs(const arguments *args) {
  const char *output = argument(args, "output"), *picture = argument(args, "plot");
  if (outputs_to_stdout(args) + (argument(args, "json") != NULL) > 1) {
    return fail(CODE_USAGE, "-o -, --trace - and --json cannot share the standard output");
  }
  if (output && !strcmp(output, "-") && argument(args, "all")) {
    return fail(CODE_USAGE, "--all writes one file per solution: -o needs a file name");
  }
  static const char *const single[] = {"bound", "bound-output", "prove"};
  for (size_t i = 0; i < sizeof single/sizeof *single && argument(args, "all"); i++) {
    if (argument(args, single[i]))
      return fail(CODE_USAGE, "--%s is about one solution and does not go with --all", single[i]);
  }
  const int code = picture ? convergence_check(picture) : CODE_OK;
  if (code) return code;
  // Check the outputs first, so that an hour's work is not lost because a folder does not exist.
  char first[4096], message[512] = "";
  if (output && argument(args, "all")) numbered(output, 1, first, sizeof first), output = first;
  static const char *const names[] = {"output", "trace", "plot", "certificate", "bound-output"};
  enum { FILES = sizeof names/sizeof *names };
  const char *path[FILES];
  for (int i = 0; i < FILES; i++) {
    path[i] = i > 0 ? argument(args, names[i]) : output;
    if (!path[i]) continue;
    for (int k = 0; k < i; k++) {
      if (path[k] && strcmp(path[i], "-") != 0 && file_same(path[k], path[i]))
        return fail(CODE_USAGE, "--%s and --%s would both write %s; give each a name of its own",
                    names[k], names[i], path[i]);
    }
    const int refused = file_check(path[i], message, sizeof message);
    if (refused) return fail(refused, "%s", message);
  }
  return CODE_OK;
}

static const char *measure_name(const session *s, text_buffer *buffer) {
  const perp_parameter *measure = perp_find_parameter(s->asked, "stop.measure");
  int index = measure ? (int)perp_parameter_value(&s->options, measure) : 0;
  if (index == 0) return NULL;
  const char *word = measure->choices;
  for (; index > 0 && strchr(word, '|'); index--) word = strchr(word, '|') + 1;
  snprintf(buffer->text, sizeof buffer->text, "%.*s", (int)strcspn(word, "|"), word);
  return buffer->text;
}

static int write_plot(const session *s, const char *path) {
  char title[320];
  text_buffer measure;
  snprintf(title, sizeof title, "%.200s: %s, n = %d, nnz = %lld", s->files.name,
           s->result.method->name, (int)s->files.problem.A.n, (long long)s->files.nnz);
  const convergence picture = {.path = path,
                               .title = title,
                               .trace = s->options.trace,
                               .count = s->result.trace_count,
                               .tol = s->options.tol,
                               .solved = s->result.status == PERP_STATUS_SOLVED,
                               .measure = measure_name(s, &measure)};
  return convergence_write(&picture);
}

// Everything that goes to files; the first failure counts, but all are tried.
static int write_outputs(session *s) {
  const char *output = argument(s->args, "output"), *trace = argument(s->args, "trace");
  const char *picture = argument(s->args, "plot");
  s->output_code = s->failed;
  if (output && !s->all) {
    char message[512] = "", comment[160];
    snprintf(comment, sizeof comment, "x by perp %s: %s, residual %.3g", s->result.method->name,
             perp_status_name(s->result.status), s->result.certificate.residual);
    s->output_code = mtx_write_vector(output, s->files.problem.A.n, s->files.x, comment, message,
                                      sizeof message);
    if (s->output_code) fail(s->output_code, "%s", message);
  }
  if (trace) s->trace_code = trace_write(trace, s->options.trace, s->result.trace_count);
  if (picture) s->plot_code = write_plot(s, picture);
  return s->output_code ? s->output_code : s->trace_code ? s->trace_code : s->plot_code;
}

// Does the message only repeat what the status means, with a capital letter and a full stop?
static int says_status_only(const perp_result *result) {
  const char *text = perp_status_text(result->status), *message = result->message;
  const size_t length = strlen(text);
  return strlen(message) == length + 1 && strncmp(message + 1, text + 1, length - 1) == 0;
}

static int incomplete(const session *s) { return s->all && !s->result.complete; }

static void report_verdict(const session *s) {
  const perp_result *result = &s->result;
  text_buffer count;
  char text[160] = "";
  if (incomplete(s)) {
    text_append(text, sizeof text, "%s%s found and certified; more may exist",
                interrupt_seen() ? "by Ctrl-C; " : "",
                text_count(s->solutions, "solution was", "solutions were", &count));
  }
  if (interrupt_seen() && (result->status == PERP_STATUS_STOPPED || incomplete(s))) {
    report_headline(0, "interrupted",
                    *text ? text : "by Ctrl-C; x is the best iterate so far");
  } else if (incomplete(s) && result->status == PERP_STATUS_SOLVED) {
    report_headline(0, "incomplete", text);
  } else {
    report_headline(result->status == PERP_STATUS_SOLVED, perp_status_name(result->status),
                    perp_status_text(result->status));
  }
  if ((result->method->traits & PERP_TRAIT_META) && result->iterations == 0) {
    report_line("method", "%s: no method %s", result->method->name,
                result->status == PERP_STATUS_SOLVED ? "had to run" : "has run");
    return;
  }
  report_line("method", "%s: %s%s%s", result->method->name, result->method->title,
              result->method != s->asked ? ", chosen by " : "",
              result->method != s->asked ? s->asked->name : "");
}

static void report_solutions(const session *s) {
  const int32_t n = s->files.problem.A.n;
  text_buffer more;
  for (int64_t k = 0; k < s->kept_count; k++) {
    const double *x = s->kept + (size_t)k*(size_t)n;
    const int32_t dimension = s->kept_dimension[k];
    perp_certificate certificate;   // only for y
    const int known = s->y && perp_certify(&s->files.problem, x, s->options.tol,
                                           s->options.absolute_tol, s->y, &certificate) == PERP_OK;
    printf("\nsolution %lld", (long long)k + 1);
    if (dimension > 0) printf(": a point inside a face of dimension %d", (int)dimension);
    report_solution(&s->files, x, known ? s->y : NULL);
  }
  if (s->kept_count > 0 && s->solutions > s->kept_count) {
    printf("\n%s: -o x.mtx writes all, --print shows all\n",
           text_count(s->solutions - s->kept_count, "more solution", "more solutions", &more));
  }
}

static void report_people(const session *s) {
  const perp_result *result = &s->result;
  const perp_certificate *certificate = &result->certificate;
  text_buffer total, setup, count;
  report_verdict(s);
  report_problem(&s->files, certificate);
  report_certificate(&s->files, s->files.x, s->y, certificate);
  report_objective(certificate, s->objective);
  char work[160] = "";
  text_append(work, sizeof work, "%d", (int)result->iterations);
  if (result->inner_iterations)
    text_append(work, sizeof work, ", %d inner", (int)result->inner_iterations);
  if (result->factorizations)
    text_append(work, sizeof work, ", %s",
                text_count(result->factorizations, "factorization", "factorizations", &count));
  report_line("iterations", "%s", work);
  if (result->regularization > 0.0)
    report_line("regularisation", "%.2g while solving; the residual is for A itself",
                result->regularization);
  proofs_report(&s->extra, result);
  report_line("time", "%s (setup %s)", text_seconds(result->seconds, &total),
              text_seconds(result->setup_seconds, &setup));
  if (!says_status_only(result))
    report_line("message", "%s", result->message);
  if (s->all) {
    report_line("solutions", "%lld%s", (long long)s->solutions,
                incomplete(s)       ? ", possibly not all"
                : s->solutions == 0 ? ": there is none"
                                    : "; there are no others");
  }
  const char *output = argument(s->args, "output"), *trace = argument(s->args, "trace");
  const char *picture = argument(s->args, "plot");
  if (picture && !s->plot_code) report_line("plot", "%s", picture);
  if (trace && !s->trace_code) {
    report_line("trace", "%s: %s", trace, text_count(result->trace_count, "row", "rows", &count));
  }
  if (output && !s->output_code && s->all && s->solutions > 0) {
    char first[4096], last[4096];
    numbered(output, 1, first, sizeof first);
    numbered(output, (long long)s->solutions, last, sizeof last);
    report_line("solution", "%s%s%s", first, s->solutions > 1 ? " ... " : "",
                s->solutions > 1 ? last : "");
  } else if (output && !s->output_code && !s->all) {
    report_line("solution", "%s", output);
  }
  if (s->all) {
    report_solutions(s);
    return;
  }
  if (show_x(s)) report_solution(&s->files, s->files.x, s->y);
  else if (!output) report_line("solution", "not shown; -o x.mtx writes it, --print shows it");
}

static void report_program(const session *s, json_t *object) {
  const perp_result *result = &s->result;
  json_object_set_new(object, "status", json_text(perp_status_name(result->status)));
  json_object_set_new(object, "method", json_text(result->method->name));
  json_object_set_new(object, "asked", json_text(s->asked->name));
  report_json_problem(object, &s->files);
  report_json_certificate(object, &result->certificate, &s->options);
  json_object_set_new(object, "objective", json_number(s->objective));
  json_object_set_new(object, "iterations", json_integer(result->iterations));
  json_object_set_new(object, "inner_iterations", json_integer(result->inner_iterations));
  json_object_set_new(object, "factorizations", json_integer(result->factorizations));
  json_object_set_new(object, "factor_nonzeros", json_integer(result->factor_nonzeros));
  json_object_set_new(object, "regularization", json_number(result->regularization));
  json_object_set_new(object, "setup_seconds", json_number(result->setup_seconds));
  json_object_set_new(object, "seconds", json_number(result->seconds));
  json_object_set_new(object, "message", json_text(result->message));
  proofs_json(&s->extra, result, object);
  if (s->asked->traits & PERP_TRAIT_ALL)
    json_object_set_new(object, "complete", json_boolean(result->complete));
  if (s->solution_list) json_object_set(object, "solutions", s->solution_list);
  else if (show_x(s))
    json_object_set_new(object, "x", report_json_vector(s->files.x, s->files.problem.A.n));
}

// 1: the method gave up at once, because it does not take this A.
static int refused(const session *s) {
  return s->result.status == PERP_STATUS_UNSOLVED &&
         perp_method_accepts(s->asked, &s->files.problem) == PERP_ERROR_UNSUPPORTED;
}

static int status_code(const session *s) {
  const int code = refused(s) ? CODE_UNSOLVABLE : exit_code_of_status(s->result.status);
  if (code == CODE_UNSOLVABLE || (code == CODE_OK && !incomplete(s))) return code;
  return interrupt_seen() ? CODE_INTERRUPTED : CODE_UNSOLVED;
}

// Most methods ignore --linear. Warn, so that nobody looks for its effect.
static void warn_linear(const perp_method *method) {
  char names[256] = "";
  if (method->traits & PERP_TRAIT_LINEAR) return;
  for (int32_t i = 0; i < perp_method_count(); i++) {
    const perp_method *other = perp_method_at(i);
    if (other->traits & PERP_TRAIT_LINEAR)
      text_append(names, sizeof names, "%s%s", *names ? ", " : "", other->name);
  }
  warn("--linear has no effect on %s; methods that take a linear solver: %s", method->name, names);
}

static int solve(session *s) {
  const perp_problem *problem = &s->files.problem;
  const size_t n = (size_t)problem->A.n;
  s->y = malloc((n + 1)*sizeof *s->y);
  if (!s->y) return fail(CODE_IO, "out of memory for %d unknowns", (int)problem->A.n);
  if (argument(s->args, "trace") || argument(s->args, "plot")) {
    s->options.trace = malloc(TRACE_CAPACITY*sizeof *s->options.trace);
    if (!s->options.trace) return fail(CODE_IO, "out of memory for the trace");
    s->options.trace_capacity = TRACE_CAPACITY;
  }
  const int begun = proofs_begin(s->args, problem->A.n, &s->extra);
  if (begun) return begun;
  s->options.farkas = s->extra.farkas;
  s->options.on_iteration = on_iteration;
  if (s->all) s->options.on_solution = on_solution;
  s->options.context = s;
  s->live = progress_begin(s->args, &s->options);

  const perp_error error = perp_solve_once(problem, s->files.x, &s->options, &s->result);
  progress_clear();
  if (error != PERP_OK) return fail_library(error);
  // auto hands the solver on to what it runs: only now is it known who did the work
  if (s->options.linear) warn_linear(s->result.method ? s->result.method : s->asked);
  perp_certificate certificate;   // only for y: the verdict is the library's
  if (perp_certify(problem, s->files.x, s->options.tol, s->options.absolute_tol, s->y,
                   &certificate) != PERP_OK) {
    free(s->y), s->y = NULL;
  }
  s->objective = s->result.certificate.kkt ? s->result.certificate.objective
                                           : objective(&s->files, s->files.x, s->y);

  int code = write_outputs(s);
  const int extra = proofs_compute(&s->extra, &s->files, &s->result);
  if (!code) code = extra ? extra : status_code(s);
  if (message_object()) report_program(s, message_object());
  else if (!outputs_to_stdout(s->args)) report_people(s);
  else if (s->result.status != PERP_STATUS_SOLVED)
    warn("not solved: %s", perp_status_text(s->result.status));
  return code;
}

static int run(const arguments *args) {
  session s = {.args = args, .all = argument(args, "all") != NULL};
  s.asked = choose_method(args);
  if (!s.asked) return CODE_USAGE;
  s.options = perp_default_options(s.asked);
  int code = settings_apply(args, s.asked, &s.options);
  if (!code && argument(args, "start")) code = settings_start(argument(args, "start"), &s.options);
  if (!code && argument(args, "linear"))
    code = linear_find(argument(args, "linear"), &s.options.linear);
  if (!code) code = check_outputs(args);
  if (code) return code;
  if (s.all && perp_find_parameter(s.asked, "enumerate.limit") &&
      !settings_given(args, "enumerate.limit")) {
    perp_set_option(&s.options, "enumerate.limit", "0");   // all means all
  }
  if (s.all && message_object()) s.solution_list = json_array();

  const int threads = settings_given(args, "threads") ? (int)s.options.threads : 0;
  code = problem_files_read(args, args->operands ? args->operand[0] : NULL, 1, threads, &s.files);
  if (!code) {
    interrupt_listen(INTERRUPT_CTRL_C);
    code = solve(&s);
  }
  problem_files_free(&s.files);
  free(s.options.trace);
  free(s.y);
  proofs_free(&s.extra);
  free(s.kept);
  free(s.kept_dimension);
  json_decref(s.solution_list);
  return code;
}

static const option_row rows[] = {
    {"Common options", 0, NULL, OPTION_HEADING, NULL},
    {"method", 'm', "NAME", OPTION_METHOD, "the method; 'perp methods' lists them (default auto)"},
    {"output", 'o', "FILE", OPTION_FILE,
     "write x as Matrix Market; .gz compresses, - is the standard output"},
    {"print", 'p', NULL, OPTION_FLAG, "show x; without this option, only an x of at most 10 rows "
                                      "is shown"},
    {"all", 'a', NULL, OPTION_FLAG, "find all solutions; -o x.mtx writes x-1.mtx, x-2.mtx and so "
                                    "on"},
    {"Files of the problem", 0, NULL, OPTION_HEADING, NULL},
    OPTION_PROBLEM,
    {"x0", 0, "FILE", OPTION_FILE, "the guess to start from, instead of DIR/x0.mtx (default 0)"},
    {"How to solve", 0, NULL, OPTION_HEADING, NULL},
    {"start", 0, "NAME:N", OPTION_TEXT,
     "run N iterations of pgs, psor or gradient first, such as pgs:10; the method continues from "
     "there"},
    OPTION_PRESET,
    {"linear", 0, "NAME", OPTION_LINEAR,
     "the linear solver of methods that take one; 'perp doctor' lists them"},
    {"Proofs and error bounds", 0, NULL, OPTION_HEADING, NULL},
    OPTION_PROOFS,
    {"How it converges", 0, NULL, OPTION_HEADING, NULL},
    {"trace", 0, "FILE", OPTION_FILE,
     "write the iterations as CSV; residuals are the method's estimates, only the last is "
     "certified"},
    {"plot", 0, "FILE", OPTION_FILE, "draw the convergence as .svg or .png (needs gnuplot)"},
    {"What is printed", 0, NULL, OPTION_HEADING, NULL},
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_PROGRESS,
    {0}};

extern const command command_solve;
const command command_solve = {
  .name = "solve",
  .title = "solve a problem and certify the answer",
  .synopsis = {"DIR [OPTION]...", "-A FILE -b FILE [--lo FILE] [--hi FILE] [OPTION]..."},
  .description =
    "Finds x with lo <= x <= hi such that y = A x + b has y >= 0 at a lower bound, y <= 0 at an "
    "upper bound, and y = 0 in between. DIR holds A.mtx and b.mtx. It may also hold lo.mtx "
    "(default 0), hi.mtx (default infinite) and x0.mtx, the guess to start from. Each file may be "
    "compressed as .mtx.gz. An infinite bound is written inf, -inf or as a number of size 1e20 or "
    "more.\n\n"
    "The answer counts as solved only if the certificate confirms it. The certificate is computed "
    "from the numbers in the files. If it does not confirm the answer, x is the best iterate "
    "found; it is still written, and the exit status is not 0. Ctrl-C stops a solve in the same "
    "way; a second Ctrl-C ends the program at once.\n\n"
    "If a Farkas vector proves that there is no solution, the status is 'infeasible' and the exit "
    "status is 4. --certificate writes the vector, and 'perp check --infeasible' verifies it. If "
    "the vector only proves that no solution has |x|_1 below some radius, the status is 'no small "
    "solution' and the exit status is 1.\n\n"
    "--bound and --prove are rigorous: they account for rounding errors.\n\n"
    "With --all the exit status is 0 only if all solutions were found. After a limit or Ctrl-C the "
    "list is marked incomplete.",
  .options = rows,
  .dynamic = DYNAMIC_METHODS,
  .operands_max = 1,
  .operands_help = "the problem",
  .examples =
        {
    {"perp solve demo -o x.mtx",
    "solve with the method that suits the problem, and write the answer"},
    {"perp solve demo -m psor --sweep.omega 1.4 --plot c.svg",
    "a method of your choice, and how it converges"},
    {"perp solve demo --time-limit 50ms --json",
    "the best answer within a deadline, as JSON"},
    {"perp solve demo --start pgs:10 --bound --prove",
    "a warm start, an error bound and a proof"},
  },
  .run = run,
};
