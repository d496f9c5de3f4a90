// option.c: perp option: the price of an American, Bermudan or European option.
#include "option_report.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "file.h"
#include "interrupt.h"
#include "progress.h"
#include "solve_settings.h"
#include "text.h"

typedef struct session {
  const arguments *args;
  perp_american option;
  perp_american_settings settings;
  perp_options steps;         // of every step
  double time_limit;          // of all of them
  double start;
  int late;
  progress live;
  double *dates;
} session;

static int on_step(void *context, int64_t done, int64_t total) {
  session *s = context;
  const double seconds = progress_now() - s->start;
  progress_count(&s->live, "steps", done, total, seconds);
  s->late = seconds > s->time_limit;
  return interrupt_seen() || s->late;
}

// "4000x2000"
static int read_grid(const arguments *args, perp_american_settings *settings) {
  int32_t size[2] = {settings->nodes, settings->steps};
  const int code = settings_size(args, "grid", "NODESxSTEPS, such as 800x400", 16, 10000000, size);
  settings->nodes = size[0];
  settings->steps = size[1];
  return code;
}

// --dates N: T/N, 2 T/N, ..., T
static int equal_dates(session *s) {
  int64_t count = 1;
  const int code = settings_whole(s->args, "dates", 1, 100000, &count);
  if (code) return code;
  s->dates = malloc((size_t)count*sizeof *s->dates);
  if (!s->dates) return fail(CODE_IO, "out of memory for %d dates", (int)count);
  for (int64_t k = 0; k < count; k++)
    s->dates[k] = k + 1 == count ? s->option.maturity
                                 : s->option.maturity*(double)(k + 1)/(double)count;
  s->option.date_count = (int32_t)count;
  return CODE_OK;
}

// --bermudan 0.25,0.5,0.75
static int given_dates(session *s, const char *text) {
  int32_t count = 1;
  for (const char *c = text; *c; c++) count += *c == ',';
  s->dates = malloc((size_t)count*sizeof *s->dates);
  if (!s->dates) return fail(CODE_IO, "out of memory for %d dates", (int)count);
  for (int32_t k = 0; k < count; k++) {
    char *end;
    s->dates[k] = strtod(text, &end);
    if (end == text || (*end && *end != ','))
      return fail(CODE_USAGE, "--bermudan: '%s' is not a list of times such as "
                              "0.25,0.5,0.75", text);
    if (!(s->dates[k] >= 0.0 && s->dates[k] <= s->option.maturity))
      return fail(CODE_USAGE, "--bermudan: date %g is outside [0, T = %g]", s->dates[k],
                  s->option.maturity);
    if (k > 0 && !(s->dates[k] > s->dates[k - 1]))
      return fail(CODE_USAGE, "--bermudan: date %g does not come after %g", s->dates[k],
                  s->dates[k - 1]);
    text = end + 1;
  }
  s->option.date_count = count;
  return CODE_OK;
}

static int read_exercise(session *s) {
  const char *list = argument(s->args, "bermudan"), *equal = argument(s->args, "dates");
  const int european = argument(s->args, "european") != NULL;
  if ((list != NULL) + (equal != NULL) + european > 1)
    return fail(CODE_USAGE, "--european, --bermudan and --dates exclude each other");
  int code = CODE_OK;
  if (european) s->option.exercise = PERP_EXERCISE_EUROPEAN;
  if (list || equal) {
    s->option.exercise = PERP_EXERCISE_BERMUDAN;
    code = list ? given_dates(s, list) : equal_dates(s);
    s->option.dates = s->dates;
  }
  return code;
}

// The numbers of an option, by the letters that the library has for them and the options, too.
typedef struct quantity { const char *letter; size_t at; } quantity;
#define OF(field) offsetof(perp_american, field)
static const quantity quantities[] = {{"S0", OF(spot)}, {"K", OF(strike)}, {"r", OF(rate)},
                                      {"q", OF(dividend)}, {"sigma", OF(volatility)},
                                      {"T", OF(maturity)}};
#undef OF
enum { QUANTITIES = sizeof quantities/sizeof *quantities };

static double *value_of(perp_american *option, const quantity *q) {
  return (double *)(void *)((char *)option + q->at);
}

static int read_option(session *s) {
  const arguments *args = s->args;
  const char *kind = args->operand[0];
  s->option = (perp_american){.spot = 100.0, .strike = 100.0, .rate = 0.05, .volatility = 0.2,
                              .maturity = 1.0};
  if (!strcmp(kind, "call")) s->option.kind = PERP_AMERICAN_CALL;
  else if (strcmp(kind, "put") != 0)
    return fail(CODE_USAGE, "'%s' is neither put nor call", kind);
  for (int k = 0; k < QUANTITIES; k++) {
    const int code = settings_number(args, quantities[k].letter, -INFINITY, INFINITY,
                                     value_of(&s->option, &quantities[k]));
    if (code) return code;
  }
  const int code = read_grid(args, &s->settings);
  return code ? code : read_exercise(s);
}

static int read_method(session *s) {
  const char *name = argument(s->args, "method");
  const perp_method *method = method_find(name ? name : "tridiagonal");
  if (!method) return CODE_USAGE;
  s->steps = perp_default_options(method);
  const int code = settings_apply(s->args, method, &s->steps);
  s->time_limit = s->steps.time_limit;
  s->steps.time_limit = (double)INFINITY;
  s->settings.options = &s->steps;
  return code;
}

static int check_outputs(const arguments *args) {
  const char *plot = argument(args, "plot"), *output = argument(args, "output");
  char message[512] = "", second[4096];
  int code = plot ? chart_check("--plot", plot, "use -o for the numbers") : CODE_OK;
  if (!code && plot)
    code = chart_check("--plot", option_boundary_path(plot, second, sizeof second), NULL);
  if (!code && output && (code = file_check(output, message, sizeof message)) != 0)
    return fail(code, "%s", message);
  return code;
}

// What the library refuses, in the words of the command line: "K = 0 is outside ..." becomes
// "--K = 0 is outside ...", and of products with T, such as "r T = 99 is outside ...", both options
// are told.
static int refuse(session *s, const char *message) {
  const size_t length = strcspn(message, " ");
  for (int k = 0; k < QUANTITIES; k++) {
    const char *letter = quantities[k].letter;
    if (strlen(letter) != length || strncmp(message, letter, length) != 0) continue;
    if (message[length + 1] == '=') return fail(CODE_USAGE, "--%s", message);
    return fail(CODE_USAGE, "--%s = %g and --T = %g: %s; bring one of them nearer to 0", letter,
                *value_of(&s->option, &quantities[k]), s->option.maturity, message);
  }
  return fail(CODE_USAGE, "%s", message);
}

static int price(session *s, perp_american_result *result) {
  interrupt_listen(INTERRUPT_CTRL_C);
  s->live = progress_begin(s->args, &s->steps);
  s->settings.on_step = on_step;
  s->settings.context = s;
  s->start = progress_now();
  const perp_error error = perp_american_price(&s->option, &s->settings, result);
  const double seconds = progress_now() - s->start;
  progress_clear();
  if (error == PERP_ERROR_ARGUMENT) return refuse(s, result->message);
  if (error != PERP_OK) return fail(exit_code_of(error), "%s", result->message);
  if (result->stopped) {
    if (s->late) return fail(CODE_UNSOLVED, "the time limit was reached before there was a price");
    return fail(CODE_INTERRUPTED, "interrupted before there was a price");
  }
  const option_answer answer = {&s->option, s->steps.method, result, seconds};
  const char *plot = argument(s->args, "plot"), *output = argument(s->args, "output");
  int code = output ? option_write(&answer, output) : CODE_OK;
  if (!code && plot) code = option_plot(&answer, plot);
  if (!output || strcmp(output, "-") != 0) option_report(&answer);
  if (result->unsolved > 0 && !code)
    return fail(CODE_UNSOLVED, "%lld of %lld steps were not solved; the first: %s",
                (long long)result->unsolved, (long long)result->solves, result->message);
  return code;
}

static int run(const arguments *args) {
  session s = {.args = args, .settings = perp_american_defaults()};
  if (argument(args, "one-grid")) s.settings.estimate = s.settings.sensitivities = 0;
  int code = read_option(&s);
  if (!code) code = read_method(&s);
  if (!code) code = check_outputs(args);
  perp_american_result result = {0};
  if (!code) code = price(&s, &result);
  perp_american_free(&result);
  free(s.dates);
  return code;
}

static const option_row rows[] = {
    {"S0", 0, "PRICE", OPTION_TEXT, "the price of the share today (default 100); may be 0"},
    {"K", 0, "PRICE", OPTION_TEXT, "the strike (default 100)"},
    {"r", 0, "RATE", OPTION_TEXT,
     "the interest rate per year, continuously compounded (default 0.05); may be negative"},
    {"q", 0, "RATE", OPTION_TEXT, "the dividend yield per year, continuously compounded (default "
                                  "0)"},
    {"sigma", 0, "NUMBER", OPTION_TEXT, "the volatility per year (default 0.2)"},
    {"T", 0, "YEARS", OPTION_TEXT, "the time to maturity (default 1)"},
    {"european", 0, NULL, OPTION_FLAG, "exercise at maturity only"},
    {"bermudan", 0, "DATES", OPTION_TEXT,
     "exercise only at maturity and at these times, in years from now, such as 0.25,0.5,0.75"},
    {"dates", 0, "N", OPTION_TEXT, "exercise only at N dates, T/N apart, the last at maturity"},
    {"grid", 0, "NxM", OPTION_TEXT,
     "nodes and time steps (default 800x400), rounded up to multiples of 16"},
    {"one-grid", 0, NULL, OPTION_FLAG,
     "compute the price on this grid only: no error estimate, no vega, no rho"},
    {"method", 'm', "NAME", OPTION_METHOD,
     "the method that solves each step (default tridiagonal); psor and others give the same price, "
     "slowly"},
    {"output", 'o', "FILE", OPTION_FILE,
     "write the value today and the exercise boundary as TSV; - is the standard output"},
    {"plot", 0, "FILE", OPTION_FILE,
     "draw the value as FILE.svg or .png, the boundary as FILE-boundary (needs gnuplot)"},
    OPTION_PROGRESS,
    OPTION_JSON,
    OPTION_QUIET,
    {0}};

extern const command command_option;
const command command_option = {
  .name = "option",
  .title = "price an American, Bermudan or European option",
  .synopsis = {"put [OPTION]...", "call [OPTION]..."},
  .description =
    "Prices an option in the Black-Scholes model with a dividend yield. It also reports the "
    "derivatives of the price (delta and gamma by S0, theta per year, vega by sigma, rho by r) and "
    "the boundary of early exercise. Every time step is a complementarity problem with a "
    "tridiagonal matrix, which is solved and certified. If a step is not solved, the price is "
    "still shown, and the exit status is 1.\n\n"
    "The price is extrapolated from two grids: the one given, and one with half as many nodes and "
    "steps. The number after +- is the size of that correction, which is usually far larger than "
    "the error. Vega and rho come from prices on a grid with a quarter of the nodes and steps.\n\n"
    "--time-limit applies to the whole calculation; the other parameters of the methods apply to "
    "each step.",
  .options = rows,
  .dynamic = DYNAMIC_METHODS | DYNAMIC_LARGE,
  .operands_min = 1,
  .operands_max = 1,
  .operand_kind = OPERAND_CHOICE,
  .operands_help = "put or call",
  .examples = {
    {"perp option put --S0 36 --K 40 --r 0.06 --sigma 0.2 --T 1", "an American put"},
    {"perp option put --S0 36 --K 40 --r 0.06 --dates 50", "the same with 50 dates of exercise"},
    {"perp option call --q 0.08 --plot call.svg -o call.tsv",
     "a call on a share that pays dividends, with pictures and tables"},
    {"perp option put --grid 4000x2000 --method psor --one-grid",
     "another method, for comparison"},
  },
  .run = run,
};
