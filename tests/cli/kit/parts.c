// parts.c: tests of single parts of the program: suggestions, durations, text, numbers.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "describe.h"
#include "run_command.h"
#include "solve_settings.h"
#include "suggest.h"
#include "text.h"

static int failures;

static void ok(int holds, const char *what) {
  printf("%s - %s\n", holds ? "ok" : "not ok", what);
  failures += !holds;
}

static const char *word_at(const void *context, int index) {
  const char *const *words = context;
  return words[index];
}

static int near(const char *word, const char *expected) {
  static const char *const words[] = {"solve",           "check", "classify", "run",
                                      "iteration-limit", "pgs",   "psor",     NULL};
  const char *found = suggest(word, word_at, words);
  return expected ? found && !strcmp(found, expected) : !found;
}

static int duration(const char *text, double expected) {
  double seconds = -1.0;
  const int valid = duration_parse(text, &seconds);
  return isnan(expected)
             ? !valid
             : valid && (seconds == expected || fabs(seconds - expected) < 1e-12 * expected);
}

static int wraps(const char *text, int column, int indent, const char *expected) {
  char *written = NULL;
  size_t length = 0;
  FILE *memory = open_memstream(&written, &length);
  if (!memory) return 0;
  text_wrap(memory, text, column, indent);
  fclose(memory);
  const int same = !strcmp(written, expected);
  if (!same) printf("# got: %s", written);
  free(written);
  return same;
}

static int shows(double seconds, const char *expected) {
  text_buffer buffer;
  return !strcmp(text_seconds(seconds, &buffer), expected);
}

// Where the words of a line of progress stand does not change while a run goes on.
static int steady(int64_t total, const char *first, const char *last) {
  static const char *const words[] = {"]", "/", " contacts", " iterations", "residual", " left"};
  enum { WORDS = sizeof words/sizeof *words };
  size_t place[WORDS] = {0};
  int same = 1;
  for (int64_t done = 0; done <= total; done += total/10) {
    const double part = (double)done/(double)total;
    char line[PROGRESS_WIDTH + 1];
    progress_state now = {.done = done, .total = total, .residual = 1e-9*part,
                          .pace = done > 0 ? 3000.0/(double)total : -1.0};
    run_bodies.progress(&(run_session){.totals = {.last_contacts = 9999.0*part,
                                                  .last_iterations = floor(999.0*part)}}, &now);
    progress_line(line, &now);
    same = same && strlen(line) == PROGRESS_WIDTH;
    for (int k = 0; k < WORDS; k++) {
      const char *at = strstr(line, words[k]);
      same = same && at && (done == 0 || (size_t)(at - line) == place[k]);
      if (at) place[k] = (size_t)(at - line);
    }
    const char *expected = done == 0 ? first : done == total ? last : NULL;
    if (expected && strcmp(line, expected) != 0) printf("# %s\n", line), same = 0;
  }
  return same;
}

static int fits(const progress_state *at, const char *end) {
  char line[PROGRESS_WIDTH + 1];
  progress_line(line, at);
  const size_t length = strlen(line), tail = strlen(end);
  if (strcmp(line + length - tail, end) != 0) printf("# %s\n", line);
  return length <= PROGRESS_WIDTH && !strcmp(line + length - tail, end);
}

// A run of a liquid has the bar of a run of bodies.
static int same_bar(int64_t total) {
  char dry[PROGRESS_WIDTH + 1], wet[PROGRESS_WIDTH + 1];
  progress_state at = {.done = total/2, .total = total, .residual = 1e-9, .pace = 1.0};
  run_bodies.progress(&(run_session){.totals = {.last_contacts = 81, .last_iterations = 12}}, &at);
  progress_line(dry, &at);
  run_liquid.progress(&(run_session){.options = perp_default_options(perp_find_method("auto")),
                                     .totals = {.last_particles = 14328, .last_iterations = 7}},
                      &at);
  progress_line(wet, &at);
  const size_t bar = strcspn(dry, "]");
  if (bar != strcspn(wet, "]") || strncmp(dry, wet, bar) != 0) printf("# %s\n# %s\n", dry, wet);
  return bar > 8 && bar == strcspn(wet, "]") && strncmp(dry, wet, bar) == 0 &&
         strlen(dry) == strlen(wet);
}

// While a long step goes on the line says so, with the same bar.
static int within_step(double seconds, const char *end) {
  char usual[PROGRESS_WIDTH + 1], line[PROGRESS_WIDTH + 1];
  progress_state at = {.done = 83, .total = 600, .residual = 1e-9, .pace = 1.0,
                       .step_seconds = seconds};
  run_bodies.progress(&(run_session){.totals = {.last_contacts = 81, .last_iterations = 12}}, &at);
  progress_line(usual, &at);
  progress_step_line(line, &at);
  const size_t bar = strcspn(usual, "]");
  if (bar < 8 || strncmp(usual, line, bar + 1) != 0 || !strstr(line, end)) printf("# %s\n", line);
  return bar > 8 && strncmp(usual, line, bar + 1) == 0 && strlen(line) <= PROGRESS_WIDTH &&
         !strcmp(strstr(line, ", ") ? strstr(line, ", ") + 2 : "", end);
}

// What is left is told by the steps of late: here 600 of 10 ms, then some of 2 s.
static int follows(int slow, double low, double high) {
  progress state = {0};
  double seconds = 0.0, pace = progress_pace(&state, 0, 0.0);
  if (pace >= 0.0) return 0;
  for (int k = 1; k <= 600 + slow; k++)
    pace = progress_pace(&state, k, seconds += k <= 600 ? 0.01 : 2.0);
  if (!(pace >= low && pace <= high)) printf("# after %d slow steps: %g s\n", slow, pace);
  return pace >= low && pace <= high;
}

static void test_tables(void) {
  static option_table table;
  const command *what;
  for (int c = 0; (what = command_at(c)) != NULL; c++) {
    options_build(what, NULL, &table);
    int unique = 1, described = 1;
    for (int i = 0; i < table.count; i++) {
      const option_entry *a = &table.entry[i];
      described &= *a->help != 0 && strlen(a->help) + 1 < sizeof a->help &&
                   a->help[strlen(a->help) - 1] != '.';
      for (int k = 0; k < i; k++) {
        const option_entry *b = &table.entry[k];
        unique &= strcmp(a->name, b->name) != 0 && !(a->letter && a->letter == b->letter);
      }
    }
    char text[128];
    snprintf(text, sizeof text, "%s: names and letters of options are unique", what->name);
    ok(unique, text);
    snprintf(text, sizeof text, "%s: every option has its help, in full", what->name);
    ok(described && what->title && what->description && what->run, text);
  }
  for (int32_t k = 0; k < perp_family_count(); k++) {
    options_build(command_find("gen"), perp_family_at(k), &table);
    int unique = 1;
    for (int i = 0; i < table.count; i++) {
      for (int j = 0; j < i; j++) unique &= strcmp(table.entry[i].name, table.entry[j].name) != 0;
    }
    ok(unique, perp_family_at(k)->name);
  }
}

int main(void) {
  ok(near("slove", "solve") && near("rum", "run") && near("pgss", "pgs") && near("PSOR", "psor"),
     "near words are found");
  ok(near("iteration_limit", "iteration-limit"), "an underscore is a hyphen");
  ok(near("class", "classify"), "a beginning is enough");
  ok(near("zebra", NULL) && near("", NULL) && near("xq", NULL), "far words are not");
  char longest[200];
  memset(longest, 'a', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  ok(near(longest, NULL), "a very long word is no word");

  ok(duration("5ms", 5e-3) && duration("2s", 2.0) && duration("1.5min", 90.0) &&
         duration("1h", 3600.0),
     "durations with units");
  ok(duration("3", 3.0) && duration("250us", 250e-6) && duration("2 s", 2.0) &&
         duration("1m", 60.0),
     "more durations");
  ok(duration("none", INFINITY) && duration("inf", INFINITY), "no limit");
  ok(duration("", NAN) && duration("ms", NAN) && duration("5 parsecs", NAN) && duration("nan", NAN),
     "what is no duration");

  ok(wraps("one two", 0, 2, "one two\n"), "short text stays");
  ok(wraps("a\n\nb", 0, 2, "a\n\n  b\n"), "paragraphs are kept, without trailing blanks");
  ok(wraps("1234567890 1234567890", 65, 4, "1234567890\n    1234567890\n"),
     "long text wraps at column 80");

  ok(shows(1.5e-6, "1.5 us") && shows(0.0321, "32.1 ms") && shows(2.5, "2.5 s"), "short times");
  ok(shows(125.0, "2 min 05 s") && shows(7260.0, "2 h 01 min") && shows(4e6, "1.11e+03 h"),
     "long times");
  ok(shows(INFINITY, "none"), "no time");
  text_buffer buffer;
  ok(!strcmp(text_range(0.0, 2.0, 1, 1, &buffer), "(0, 2)"), "an open range");
  ok(!strcmp(text_range(-INFINITY, INFINITY, 0, 0, &buffer), "(-inf, inf)"),
     "infinite ends are open");
  ok(!strcmp(text_limits(1.0, 2147483647.0, 0, 0, &buffer), "at least 1"),
     "the limit of a type is no limit");
  ok(!strcmp(text_limits(0.0, INFINITY, 1, 1, &buffer), "above 0"), "an open lower limit");
  ok(!strcmp(text_number(NAN, &buffer), "unknown") && !strcmp(text_number(1e-8, &buffer), "1e-08"),
     "numbers");

  json_t *number = json_number(NAN), *text = json_text("a\xff"
                                                       "b");
  ok(json_is_null(number), "JSON has no NaN");
  ok(json_is_string(text) && !strcmp(json_string_value(text), "a?b"), "bytes that are not UTF-8");
  json_decref(number), json_decref(text);

  ok(exit_code_of(PERP_ERROR_PROBLEM) == 3 && exit_code_of(PERP_ERROR_OPTION) == 2 &&
         exit_code_of(PERP_ERROR_ARGUMENT) == 2 && exit_code_of(PERP_ERROR_UNSUPPORTED) == 4 &&
         exit_code_of(PERP_ERROR_MEMORY) == 6 && exit_code_of(PERP_ERROR_CAPACITY) == 6 &&
         exit_code_of(PERP_OK) == 0 && exit_code_of(PERP_ERROR_OPERATOR) == 1,
     "errors have their exit codes");
  ok(steady(1000,
            "[        ]    0/1000,    0 contacts,   0 iterations, residual 0e+00, --:-- left",
            "[########] 1000/1000, 9999 contacts, 999 iterations, residual 1e-09,  0:00 left"),
     "a line of progress keeps its columns");
  ok(steady(20, "[            ]  0/20,    0 contacts,   0 iterations, residual 0e+00, --:-- left",
            "[############] 20/20, 9999 contacts, 999 iterations, residual 1e-09,  0:00 left"),
     "of a short run, too");
  progress_state most = {.done = 99999999, .total = 100000000, .residual = 1e-9, .pace = 10.0};
  run_bodies.progress(&(run_session){.totals = {.last_contacts = 123456,
                                                .last_iterations = 12345}}, &most);
  progress_state wet = {.done = 9999, .total = 10000, .residual = 1e-9, .pace = 10.0};
  run_liquid.progress(&(run_session){.options = perp_default_options(perp_find_method("auto")),
                                     .totals = {.last_particles = 12345678, .last_iterations = 123,
                                                .inner = 12345}}, &wet);
  ok(fits(&most, " 0:10 left") && fits(&wet, " 0:10 left") &&
         fits(&(progress_state){.done = 1, .total = 2, .pace = 6000}, "1h40m left") &&
         fits(&(progress_state){.done = 1, .total = 2, .pace = 5999}, "99:59 left") &&
         fits(&(progress_state){.done = 1, .total = 1000, .pace = 1000}, "278 h left") &&
         fits(&(progress_state){.done = 1, .total = 1000, .pace = 1e9}, "999 h left"),
     "the largest numbers fit, as does any time");
  ok(same_bar(150) && same_bar(1200), "a liquid has the bar of bodies");
  ok(within_step(7.6, "step 84 has taken 7 s so far") &&
         within_step(552.0, "step 84 has taken 9 min 12 s so far"),
     "a long step is told of while it goes on");
  ok(follows(0, 0.0099, 0.0101) && follows(15, 1.99, 2.01),
     "the time left follows the recent steps");
  test_tables();
  return failures != 0;
}
