// message.c: the message of a result, in whole sentences: what happened, how far x is from a
// solution, and what to do. It recommends only auto, which takes every problem, and it names only
// causes that were checked.
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "componentwise.h"
#include "driver.h"
#include "plain.h"

// A sentence begins with a capital letter, unless its first word is a name (active_set, x,
// stop.tol) or a symbol before "=".
static int begins_with_word(const char *text) {
  size_t length = 0;
  char word[64];
  while (length + 1 < sizeof word && islower((unsigned char)text[length])) {
    word[length] = text[length];
    length++;
  }
  word[length] = '\0';
  return length > 1 && text[length] == ' ' && text[length + 1] != '=' &&
         perp_find_method(word) == NULL;
}

typedef struct writer {
  char *text;
  size_t size, used;
} writer;

// Adds `what` as a sentence: with a capital letter, and with a full stop if it has none.
static void say(writer *to, const char *what) {
  if (what == NULL || what[0] == '\0' || to->used + 4 > to->size) return;
  if (to->used > 0) to->text[to->used++] = ' ';
  const size_t first = to->used, room = to->size - to->used - 2;   // 2: full stop and final zero
  size_t length = strlen(what);
  length = length < room ? length : room;
  memcpy(to->text + first, what, length);
  if (begins_with_word(what)) to->text[first] = (char)toupper((unsigned char)what[0]);
  to->used += length;
  if (to->text[to->used - 1] != '.') to->text[to->used++] = '.';
  to->text[to->used] = '\0';
}

static void sayf(writer *to, const char *format, ...) {
  char what[160];
  va_list list;
  va_start(list, format);
  plain_vprint(what, sizeof what, format, list);
  va_end(list);
  say(to, what);
}

static void advise(writer *to, const perp_solver *s, const perp_run *outcome, perp_status status) {
  const int is_auto = s->method == perp_find_method("auto");
  if (outcome->rounded) {
    sayf(to, "tol = %g is below the rounding of x", s->options.tol);
    say(to, "raise tol");
    return;
  }
  switch (status) {
    case PERP_STATUS_STOPPED:
      say(to, "x is the best iterate so far");
      break;
    case PERP_STATUS_TIME_LIMIT:
      say(to, "x is the best iterate so far");
      say(to, "raise time_limit");
      break;
    case PERP_STATUS_MEASURE:
      say(to, "the measure only stops the run, and tol decides what is solved");
      break;
    case PERP_STATUS_ITERATION_LIMIT:
      say(to, is_auto ? "raise iteration_limit" : "raise iteration_limit, or use auto");
      break;
    default:
      if (!outcome->refused) say(to, s->method->hint);
      if (!is_auto) say(to, "use auto");
  }
}

// Says why the x of a quadratic program was refused although its residual is small.
static void say_objectives(writer *to, const perp_solver *s, const perp_certificate *c) {
  if (!c->kkt || !c->kkt_failed || c->residual > s->options.tol) return;
  if (c->kkt_failed & PERP_KKT_GAP)
    sayf(to, "the objective is %.6g and the dual objective %.6g, so the gap is too large",
         c->objective, c->dual_objective);
  else
    sayf(to, "x is not %s enough for the quadratic program",
         c->kkt_failed & PERP_KKT_DUAL ? "stationary" : "feasible");
}

// Says why an x with a small residual was refused: by the componentwise rule, by nearby.h, or
// because the rounding of its products is too large. Returns 1 if no other method would do better.
static int say_refusal(writer *to, const perp_solver *s, const perp_certificate *c) {
  const double tol = s->options.tol, limit = componentwise_limit(s->options.componentwise_tol, tol);
  if (c->refuted) {
    say(to, "x is within the tolerances, but no solution is near it");
    say(to, "componentwise_tol = inf accepts such an x");
  } else if (c->residual <= tol && c->componentwise > limit) {
    sayf(to, "row %d is wrong by %.3g of its own data, and componentwise_tol allows %.3g",
         c->componentwise_row, c->componentwise, limit);
    say(to, "raise componentwise_tol to accept such an x");
  } else if (!c->solved && c->residual <= tol && !c->kkt_failed) {
    say(to, "that is small enough, but the terms of A x + b are so large that rounding or "
            "overflow may hide an error");
    return 1;
  }
  return 0;
}

void solver_message(const perp_solver *s, const perp_run *outcome, perp_result *result) {
  const perp_certificate *c = &result->certificate;
  const int solved = result->status == PERP_STATUS_SOLVED;
  // The certificate may accept the x of a run that a limit or a ray ended. That run's message would
  // contradict the verdict, so it is left out.
  const int by_chance = solved && outcome->reason != PERP_STATUS_SOLVED &&
                        outcome->reason != PERP_STATUS_MEASURE;
  char slight[320];
  solver_tell_contradiction(s, slight, sizeof slight);
  // If the certificate refuses an x that a method called solved, the method's message is left out.
  const int refused = !solved && outcome->reason == PERP_STATUS_SOLVED;
  const int told = outcome->message[0] != '\0' && !by_chance && !refused;
  // The most common message, without the checks below.
  if (solved && !told && !c->attainable && !c->weaker && slight[0] == '\0') {
    strcpy(result->message, MESSAGE_SOLVED);
    return;
  }
  writer to = {result->message, sizeof result->message, 0};
  say(&to, told ? outcome->message : perp_status_text(result->status));
  if (solved) {
    if (c->attainable) say(&to, "x is as accurate as doubles allow here");
    if (c->weaker) say(&to, "the certificate is a weaker one, as A does not show its entries");
    say(&to, slight);
    return;
  }
  // A proof needs no advice.
  if (status_is_proof(result->status) || result->status == PERP_STATUS_NO_SOLUTION) return;
  if (!outcome->refused)
    sayf(&to, "the residual is %.3g at row %d%s", c->residual, c->worst,
         s->judge.look.hurried ? ", scaled by the diagonal in a hurry" : "");
  const int hidden = say_refusal(&to, s, c);
  say_objectives(&to, s, c);
  say(&to, slight);
  if (!hidden) advise(&to, s, outcome, result->status);
}
