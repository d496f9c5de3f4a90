// qp.c: convex quadratic programs, perp beside other solvers, by the measures of the public
// benchmark of QP solvers.
//
//     bench_qp [--quick] [--ours] [--only NAME,NAME...] [--results DIRECTORY]
//
// The problems are those members of the Maros-Meszaros set that formulas define (qp_problems.h).
// They are not the whole set. Every solve has a process of its own, one thread and SECONDS of the
// processor, after which the process is ended. Whatever a solver says of its answer, the measures
// are absolute and computed here, in long double, from v and the multipliers.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "guarded.h"
#include "qp_peers.h"

#define SECONDS 20.0         // for each solve, of the processor: perp takes 5 at most
#define SMALL_DENSE_SECONDS 10.0   //   with --quick
#define GRACE 5              // more of them, for starting a peer and handing it the problem
#define PATIENCE 1200.0      // seconds by the clock on the wall, should a process sleep for ever
#define BYTES (8UL << 30)    // of memory for each solve
#define SMALL_DENSE_ROWS 5000      // --quick leaves out larger problems
#define SHIFT 1.0            // seconds; of the shifted geometric mean
enum { LEVELS = 2, MOST_ENTRANTS = 16 };
static const double levels[LEVELS] = {1e-6, 1e-9};   // what the benchmark calls middle and high
static const double tolerances[QP_TOLERANCES] = {1e-8, 1e-12};   // of perp

static double limit = SECONDS;

typedef struct entrant {
  const char *name;
  const qp_peer *peer;       // NULL: a method of perp
  double tol;
  int32_t absent;
  int32_t within[LEVELS];    // problems
  double logarithms[LEVELS]; // sum of log(seconds + SHIFT), with the limit where it is not within
} entrant;

typedef struct fastest {     // answer of a problem that is within a level
  const char *name;          // NULL: there is none
  double seconds;
} fastest;
typedef struct best { fastest ours[LEVELS], peers[LEVELS]; } best;

typedef struct task {
  const entrant *who;
  const qp_problem *qp;
  qp_complementarity *c;
} task;

typedef struct reply {
  peer_end end;
  char status[48];
  double answer[];           // v, then l
} reply;

static double processor(void *context) {
  (void)context;
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static void solve(void *data, void *answer) {
  const task *t = data;
  reply *r = answer;
  const qp_problem *qp = t->qp;
  const struct rlimit memory = {BYTES, BYTES};
  const struct rlimit time = {(rlim_t)limit + GRACE, (rlim_t)limit + GRACE};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CPU, &time);      // this process, and each program that it starts
  if (t->who->peer != NULL) {
    r->end = t->who->peer->run(qp, t->who->tol, limit, r->answer, r->answer + qp->variables);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    if (r->end.seconds == -2.0 && used.ru_utime.tv_sec + used.ru_stime.tv_sec >= (long)limit)
      r->end.seconds = limit + GRACE;   // it was ended
    snprintf(r->status, sizeof r->status, "%s",
             r->end.seconds == -1.0 ? "absent" : r->end.seconds < 0.0 ? "gave up"
             : r->end.claims ? "solved" : "unsolved");
    return;
  }
  perp_options o = perp_default_options(perp_find_method(t->who->name));
  o.tol = t->who->tol;
  o.time_limit = limit;
  o.clock = processor;
  perp_result result;
  double *x = bench_take((size_t)t->c->n, sizeof *x);
  const double start = processor(NULL);
  if (perp_solve_once(&t->c->problem, x, &o, &result) != PERP_OK) _exit(1);
  r->end = (peer_end){processor(NULL) - start, result.status == PERP_STATUS_SOLVED};
  snprintf(r->status, sizeof r->status, "%s", perp_status_name(result.status));
  memcpy(r->answer, x, (size_t)qp->variables*sizeof *x);
  memcpy(r->answer + qp->variables, x + qp->variables + t->c->slacks,
         (size_t)qp->rows*sizeof *x);
}

static int within(const qp_measures *m, double level) {
  return m->primal <= level && m->dual <= level && m->gap <= level;
}

// Returns 1 if it took half of its time or more without an answer that is within the first level:
// a smaller tolerance would only take longer.
static int run(bench_table *t, entrant *who, const qp_family *family, const qp_problem *qp,
               qp_complementarity *c, int hopeless_already, best *of) {
  const int32_t n = qp->variables, m = qp->rows;
  const size_t bytes = sizeof(reply) + ((size_t)n + (size_t)m)*sizeof(double);
  reply *r = bench_take(1, bytes);
  task job = {who, qp, c};
  qp_measures measures = {INFINITY, INFINITY, INFINITY, NAN};
  const guarded_end how =
      hopeless_already ? GUARDED_LATE : guarded_run(solve, &job, r, bytes, PATIENCE);
  const int late = how == GUARDED_LATE || (how == GUARDED_DONE && r->end.seconds > limit);
  const char *status = hopeless_already ? "not run" : late ? "late"
                       : how == GUARDED_DONE ? r->status : "gave up";
  who->absent = how == GUARDED_DONE && r->end.seconds == -1.0;
  if (how == GUARDED_DONE && !late && r->end.seconds >= 0.0)
    measures = qp_measure(qp, r->answer, r->answer + n);
  for (int k = 0; k < LEVELS; k++) {
    const int good = !late && within(&measures, levels[k]);
    who->within[k] += good;
    who->logarithms[k] += log((good ? r->end.seconds : limit) + SHIFT);
    fastest *f = who->peer != NULL ? &of->peers[k] : &of->ours[k];
    if (good && (f->name == NULL || r->end.seconds < f->seconds))
      *f = (fastest){who->name, r->end.seconds};
  }
  char seconds[24] = "-";
  if (late && !hopeless_already) snprintf(seconds, sizeof seconds, "%g", limit);
  else if (how == GUARDED_DONE && r->end.seconds >= 0.0)
    snprintf(seconds, sizeof seconds, "%.3f", r->end.seconds);
  if (!who->absent)
    bench_row(t, "%s|%d|%d|%s|%g|%s|%s|%.1e|%.1e|%.1e|%.9g|%.8g", family->name, n, m, who->name,
              who->tol, status, seconds, measures.primal, measures.dual,
              measures.gap, measures.objective, family->optimum);
  const int hopeless = late || (how == GUARDED_DONE && r->end.seconds > 0.5*limit &&
                                !within(&measures, levels[0]));
  free(r);
  return hopeless;
}

static int named(const char *list, const char *name) {
  if (list == NULL) return 1;
  const size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ',')) return 1;
  return 0;
}

static const char *cell(const fastest *f, int named_too, char *text, size_t size) {
  if (f->name == NULL) return "-";
  if (named_too) snprintf(text, size, "%.3f (%s)", f->seconds, f->name);
  else snprintf(text, size, "%.3f", f->seconds);
  return text;
}

static void tell_best(bench_table *t, const qp_family *family, const best *of) {
  char ours[LEVELS][40], peers[LEVELS][40];
  bench_row(t, "%s|%s|%s|%s|%s", family->name, cell(&of->ours[0], 0, ours[0], sizeof ours[0]),
            cell(&of->peers[0], 1, peers[0], sizeof peers[0]),
            cell(&of->ours[1], 0, ours[1], sizeof ours[1]),
            cell(&of->peers[1], 1, peers[1], sizeof peers[1]));
}

// One row for each solver and tolerance.
static void sum_up(const bench *b, const entrant *list, int32_t entrants, int32_t problems) {
  bench_table *t = bench_open(b, "qp-summary", "convex quadratic programs: how many, how fast",
                              "who|tol|problems|within 1e-6|within 1e-9|mean s 1e-6|mean s 1e-9");
  for (int32_t e = 0; e < entrants && problems > 0; e++) {
    const entrant *w = &list[e];
    if (w->absent && (e == 0 || strcmp(list[e - 1].name, w->name) != 0))
      bench_note(t, "%s is absent", w->name);
    if (w->absent) continue;
    bench_row(t, "%s%s%s|%g|%d|%d|%d|%.2f|%.2f", w->name, w->peer != NULL ? " " : "",
              w->peer != NULL ? w->peer->version : "", w->tol, problems, w->within[0], w->within[1],
              exp(w->logarithms[0]/problems) - SHIFT, exp(w->logarithms[1]/problems) - SHIFT);
  }
  bench_note(t, "Within: primal, dual and gap, all absolute and computed here from v and l. Mean "
             "seconds: geometric, shifted by %g s, of the processor, one thread; %g s where an "
             "answer is not within. A solver that takes half of its %g s with one tolerance and is "
             "not within 1e-6 is not run with the smaller one.", SHIFT, limit, limit);
  bench_close(t);
}

// Takes --only NAMES out of the arguments.
static const char *take_only(int *count, char **words) {
  for (int k = 1; k + 1 < *count; k++) {
    if (strcmp(words[k], "--only") != 0) continue;
    const char *names = words[k + 1];
    memmove(&words[k], &words[k + 2], (size_t)(*count - k - 1)*sizeof *words);
    *count -= 2;
    return names;
  }
  return NULL;
}

int main(int count, char **words) {
  const char *only = take_only(&count, words);
  const bench b = bench_begin(count, words);
  if (b.quick) limit = SMALL_DENSE_SECONDS;
  bench_table *all = bench_open(&b, "qp", "convex quadratic programs",
                                "problem|variables|rows|who|tol|status|seconds|primal|dual|gap|"
                                "objective|published");
  bench_table *each = bench_open(&b, "qp-problems",
                                 "convex quadratic programs: the fastest answer within a level",
                                 "problem|perp s 1e-6|best peer s 1e-6|perp s 1e-9|"
                                 "best peer s 1e-9");
  entrant list[MOST_ENTRANTS];
  int32_t entrants = 0, problems = 0;
  for (int32_t p = -1; p < (b.ours ? 0 : qp_peer_count); p++)
    for (int k = 0; k < QP_TOLERANCES; k++)
      list[entrants++] = (entrant){.name = p < 0 ? "auto" : qp_peers[p].name,
                                   .peer = p < 0 ? NULL : &qp_peers[p],
                                   .tol = p < 0 ? tolerances[k] : qp_peers[p].tol[k],
                                   .absent = p >= 0 && qp_peers[p].run == NULL};
  for (int32_t k = 0; k < qp_family_count; k++) {
    const qp_family *family = &qp_families[k];
    if (!named(only, family->name)) continue;
    qp_problem qp = qp_make(family, 0);
    qp_complementarity c;
    qp_complementarity_make(&c, &qp);
    if (!b.quick || c.n <= SMALL_DENSE_ROWS) {
      problems++;
      best of = {0};
      int hopeless = 0;
      for (int32_t e = 0; e < entrants; e++) {
        if (e%QP_TOLERANCES == 0) hopeless = 0;
        if (!list[e].absent) hopeless = run(all, &list[e], family, &qp, &c, hopeless, &of);
      }
      tell_best(each, family, &of);
    }
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
  bench_note(all, "Published optima belong to data that were rounded to a few digits.");
  bench_close(all);
  bench_close(each);
  sum_up(&b, list, entrants, problems);
  return 0;
}
