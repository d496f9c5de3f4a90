// test_campaign.c: random small problems, where every claim of every method is held against the
// exact answer (tests/exact).
//
// ./test runs 10^4 problems; PERP_LONG_TESTS with PERP_SHARD=0 .. 7 runs one of eight disjoint parts
// of 1.2 10^6, and without PERP_SHARD all of them. At the end there is a line for each family of
// exact/problems.h. PERP_PROBLEM=K runs problem K alone and prints it; PERP_METHOD=NAME asks one
// method only; PERP_FAMILY=NAME takes one family only. PERP_RULE=off leaves out the componentwise
// rule, and then nothing fails: the lines tell what the rule is worth. PERP_MISSES=1 also names the
// problems that a method misses although its theory covers them, or that auto misses.
//
// solved:       an exact solution is as near to x as its residual and the conditioning of the problem
//               say (exact/reach.h), in the units of the whole numbers
// infeasible:   there is no point that satisfies the linear conditions
// no small solution:  the vector proves exactly the radius, and no solution contradicts it
// no solution:  there is none
// proved:       a solution lies in the enclosure of perp_prove, and perp_error_bound's bound holds
// always:       x is finite and within its bounds
// In the wide families of exact/problems.h doubles do not always tell whether there is a solution:
// "solved" may be false in fewer than 1 in 10^4 solves of their unsolvable problems, by all methods
// together and by auto alone, and how near x is to a solution is counted and not demanded.
// Beyond claims: auto solves what is solvable of the classes P, PSD and strictly copositive, and a
// finite method the problems of its own classes (assumes) unless they are badly scaled.
// cost: 30
// needs: posix
#include <signal.h>
#include <unistd.h>

#include "problems.h"
#include "reach.h"
#include "support.h"

#ifdef CAMPAIGN_SICONOS
#include "campaign_siconos.h"
#else
enum { SICONOS_SOLVERS = 0 };
#endif

#define FAR   1e-5                       // of max(1, |x_i|): counted as far, and allowed
#define SMALL 1e-6                       // of max(1, |b|): see residual_part

enum { METHODS_MAX = 48, SHARDS = 8, SHARD_PROBLEMS = 150000 };

typedef struct tally {                   // of one method
  int64_t tried[PROBLEM_CLASSES], missed[PROBLEM_CLASSES];   // of the solvable ones
  int64_t unsolvable, infeasible, proved_none, proved_infeasible;
  int64_t covered, covered_missed;       // solvable, of a class for which convergence is proved
} tally;

typedef struct family_tally {
  int64_t problems, solvable, skipped;   // skipped: the exact code overflows
  int64_t missed;                        // solvable, not solved by auto
  int64_t distant;                       // claims of a solution that is not near an exact one
  int64_t unsolvable_solves;             // by all methods
  int64_t false_claims, false_of_auto;   // "solved" where there is no solution
  int64_t false_infeasible;              // claims
} family_tally;

static tally of[METHODS_MAX + SICONOS_SOLVERS];
static family_tally family[PROBLEM_CLASSES];
static int64_t wrong, agreements, only_siconos, undecided, whole_bounds, attainable_claims,
    proofs, bounds;
static double worst_residual;            // the largest residual_part

static int rule_is_off(void) {
  const char *rule = getenv("PERP_RULE");
  return rule != NULL && strcmp(rule, "off") == 0;
}

static int asked_for_one(void) { return getenv("PERP_PROBLEM") != NULL; }

__attribute__((format(printf, 4, 5)))
static void report(const small_problem *s, uint64_t number, const char *who, const char *format,
                   ...) {
  static struct { const char *who; int count; } told[METHODS_MAX + 8];
  size_t k = 0;
  wrong++;
  while (told[k].who != NULL && strcmp(told[k].who, who) != 0) k++;
  told[k].who = who;
  if (++told[k].count > 3) return;       // three of each are enough to begin with
  va_list list;
  va_start(list, format);
  printf("\nproblem %llu, %s: ", (unsigned long long)number, who);
  vprintf(format, list);
  va_end(list);
  printf("\n");
  if (!asked_for_one()) problem_print(s);
  fflush(stdout);
}

// Where a crash or a loop without end happened.
static volatile unsigned long long now_number;
static const char *volatile now_who = "exact";

static void tell_where(int sign) {
  printf("\nproblem %llu, %s: %s\n", now_number, now_who,
         sign == SIGALRM ? "not done after 60 s" : "crashed");
  fflush(stdout);
  _Exit(1);
}

typedef struct known {
  exact_verdict solvable, feasible;
  double x[EXACT_ROWS];
  perp_classes classes;
} known;

// An x that was found near a solution before need not be looked at again.
typedef struct accepted { int count; double x[8][EXACT_ROWS]; } accepted;

// The largest natural residual over what a certificate may leave, in whole units: 1e-8 of the residual
// at x = 0, which is up to |b|. The units of its rows and columns are others (0.57 of SMALL was seen).
// Rounding is allowed besides, where x is as accurate as doubles allow. Without this any x would be as
// near to a solution as its residual says.
static double residual_part(const exact_problem *p, const double *x) {
  double size = 1.0, worst = 0.0;
  for (int i = 0; i < p->n; i++) size = fmax(size, fabs((double)p->b[i]));
  for (int i = 0; i < p->n; i++) {
    long double y = (long double)p->b[i], terms = fabsl(y);
    for (int j = 0; j < p->n; j++) {
      y += (long double)p->A[i][j]*x[j];
      terms += fabsl((long double)p->A[i][j]*x[j]);
    }
    const long double above = p->hi[i] == EXACT_INF ? -INF : x[i] - (long double)p->hi[i];
    const long double below = p->lo[i] == -EXACT_INF ? INF : x[i] - (long double)p->lo[i];
    const long double r = fabsl(y < above ? above : y > below ? below : y);
    worst = fmax(worst, (double)r/(SMALL*size + 0x1p-47*(double)terms));
  }
  return worst;
}

// x of a problem that has a solution. The bound by one block is the smaller one, and often enough.
static int is_near_solution(const small_problem *s, const double *x, accepted *seen) {
  const int n = s->exact.n;
  const double r = residual_part(&s->exact, x);
  worst_residual = fmax(worst_residual, r);
  if (!(r <= 1.0)) return 0;
  for (int k = 0; k < seen->count; k++) {
    int same = 1;
    for (int i = 0; i < n; i++)
      same &= fabs(x[i] - seen->x[k][i]) <= 1e-9*fmax(1.0, fabs(x[i]));
    if (same) return 1;
  }
  const double first = exact_reach(&s->exact, x, 1);
  exact_verdict near = exact_near(&s->exact, x, 0.0, first);
  undecided += near == EXACT_OVERFLOW;                   // x of 1e20 and more, on a ray
  if (near == EXACT_OVERFLOW) return 1;
  if (first > FAR && exact_near(&s->exact, x, FAR, 0.0) == EXACT_NO) family[s->kind].distant++;
  if (near == EXACT_NO) {
    whole_bounds++;
    near = exact_near(&s->exact, x, 0.0, exact_reach(&s->exact, x, 0));
  }
  if (near != EXACT_NO && seen->count < 8)
    memcpy(seen->x[seen->count++], x, sizeof seen->x[0]);
  return near != EXACT_NO;
}

static void check_infeasible(const small_problem *s, uint64_t number, const char *who,
                             const known *truth, const double *u, double radius, tally *t) {
  const int n = s->exact.n;
  double size = 0.0;
  if (truth->solvable == EXACT_YES) {
    for (int i = 0; i < n; i++) size += fabs(ldexp(truth->x[i], -s->column[i]));
    if (size < radius)
      report(s, number, who, "infeasible within %g, but a solution has |x|_1 = %g", radius, size);
  }
  perp_farkas f;
  if (perp_check_farkas(&s->problem, u, &f) != PERP_OK || !(radius == INF ? f.proven : f.bounded))
    report(s, number, who, "perp_check_farkas does not accept its vector");
  // An infinite radius may rest on an exact vector near u: then the exact answer below decides.
  const double proved = exact_farkas_radius(&s->exact, s->row, s->column, u);
  if (radius < INF && !(proved >= radius*(1.0 - 1e-9)))
    report(s, number, who, "claims radius %g, its Farkas vector proves %g", radius, proved);
  family[s->kind].false_infeasible += radius == INF && truth->feasible != EXACT_NO;
  if (radius == INF && truth->feasible != EXACT_NO)
    report(s, number, who, "claims infeasible, but the linear conditions have a point");
  t->proved_infeasible += truth->feasible == EXACT_NO;
}

// A solution lies in the enclosure of perp_prove, and x is within perp_error_bound of the solution.
static void check_proofs(const small_problem *s, uint64_t number, const double *x,
                         const known *truth) {
  const int n = s->exact.n;
  double low[EXACT_ROWS], high[EXACT_ROWS], middle[EXACT_ROWS], width = 0.0, bound[EXACT_ROWS];
  perp_proof proof;
  perp_bound known_bound;
  now_who = "perp_prove";
  if (perp_prove(&s->problem, x, NULL, low, high, &proof) != PERP_OK) fail();
  for (int i = 0; i < n && proof.proven; i++) {
    middle[i] = ldexp(0.5*low[i] + 0.5*high[i], s->column[i]);
    width = fmax(width, ldexp(high[i] - low[i], s->column[i]));
  }
  proofs += proof.proven;
  if (proof.proven && exact_near(&s->exact, middle, 1e-8, width) == EXACT_NO)
    report(s, number, "perp_prove", "no solution is within the enclosure: %s", proof.reason);
  now_who = "perp_error_bound";
  if (perp_error_bound(&s->problem, x, NULL, bound, &known_bound) != PERP_OK) fail();
  bounds += known_bound.known;
  for (int i = 0; i < n && known_bound.known; i++) {
    const double error = fabs(ldexp(x[i], s->column[i]) - truth->x[i]);
    const double allowed = ldexp(bound[i], s->column[i]);
    if (!(error <= allowed*(1.0 + 1e-9) + 1e-12*fmax(1.0, fabs(truth->x[i]))))
      report(s, number, "perp_error_bound", "x_%d is %g away from the solution, bound %g: %s", i,
             error, allowed, known_bound.reason);
  }
}

// Every fourth problem is solved with switches and choices drawn from the method's own table.
static int with_defaults(uint64_t number) { return number/PROBLEM_CLASSES/4%4 != 1; }

static void draw_options(const perp_method *m, uint64_t number, perp_options *o) {
  support_state = number;
  for (int32_t k = 0; k < m->parameter_count; k++) {
    const perp_parameter *p = &m->parameters[k];
    int count = p->kind == PERP_KIND_SWITCH ? 2 : p->kind == PERP_KIND_CHOICE ? 1 : 0;
    for (const char *c = p->choices; count > 0 && c != NULL && *c != '\0'; c++) count += *c == '|';
    if (count > 0) *(int32_t *)(void *)((char *)o + p->offset) = whole(0, count - 1);
  }
  if (whole(0, 2) == 0) o->split = PERP_SPLIT_YES;
  if (whole(0, 2) == 0) o->scale = 0;
  if (whole(0, 2) == 0) {
    o->start.method = whole(PERP_START_PGS, PERP_START_GRADIENT);
    o->start.iterations = 5;
  }
}

static void check_solved(const small_problem *s, uint64_t number, const perp_method *m,
                         const perp_result *r, const double *whole_x, const known *truth,
                         accepted *seen) {
  const int exists = truth->solvable == EXACT_YES, wide = problem_class_is_wide(s->kind);
  if (!exists) {
    family[s->kind].false_claims++;
    family[s->kind].false_of_auto += strcmp(m->name, "auto") == 0;
    if (wide && getenv("PERP_FALSE") != NULL)
      printf("problem %llu, %s: solved, but there is no solution\n", (unsigned long long)number,
             m->name);
  }
  if (exists && wide)
    family[s->kind].distant += exact_near(&s->exact, whole_x, FAR, 0.0) == EXACT_NO;
  if (wide || (exists && is_near_solution(s, whole_x, seen)) || rule_is_off()) return;
  report(s, number, m->name, "claims success, residual %g, but %s", r->certificate.residual,
         exists ? "no solution is near" : "there is no solution");
  for (int i = 0; i < s->exact.n; i++)
    printf("  // x_%d = %.17g in whole units\n", i, whole_x[i]);
}

static int campaign_method(const small_problem *s, uint64_t number, const perp_method *m,
                           const known *truth, accepted *seen, tally *t) {
  const int n = s->exact.n;
  double x[EXACT_ROWS] = {0}, whole_x[EXACT_ROWS] = {0}, u[EXACT_ROWS] = {0};
  perp_options o = perp_default_options(m);
  o.iteration_limit = 500;
  o.presolve = number/PROBLEM_CLASSES/8%4 != 3;
  o.farkas = u;
  if (!with_defaults(number)) draw_options(m, number, &o);
  if (rule_is_off()) o.componentwise_tol = INF;
  perp_result r;
  now_who = m->name;
  const perp_error error = perp_solve_once(&s->problem, x, &o, &r);
  if (error == PERP_ERROR_UNSUPPORTED) return 0;
  if (error != PERP_OK) {
    report(s, number, m->name, "error: %s", perp_last_message());
    return 0;
  }
  if (asked_for_one())
    printf("%-20s %-16s residual %.2e  %s\n", m->name, perp_status_name(r.status),
           r.certificate.residual, r.message);
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]) || x[i] < (s->plain ? 0.0 : s->lo[i]) ||
        x[i] > (s->plain ? INF : s->hi[i])) {
      report(s, number, m->name, "%s with x_%d = %g", perp_status_name(r.status), i, x[i]);
      return 0;
    }
  problem_unscale(s, x, whole_x);
  const int solved = r.status == PERP_STATUS_SOLVED;
  attainable_claims += solved && r.certificate.attainable;
  if (solved) check_solved(s, number, m, &r, whole_x, truth, seen);
  if (solved && strcmp(m->name, "auto") == 0) check_proofs(s, number, x, truth);
  if (r.status == PERP_STATUS_NO_SOLUTION && truth->solvable == EXACT_YES)
    report(s, number, m->name, "claims that there is no solution: %s", r.message);
  if (r.status == PERP_STATUS_INFEASIBLE || r.status == PERP_STATUS_NO_SMALL_SOLUTION) {
    if ((r.status == PERP_STATUS_INFEASIBLE) != (r.radius == INF))
      report(s, number, m->name, "%s with radius %g", perp_status_name(r.status), r.radius);
    check_infeasible(s, number, m->name, truth, u, r.radius, t);
  }
  if (truth->solvable == EXACT_YES) {
    t->tried[s->kind]++;
    t->missed[s->kind] += !solved;
    const int covered = perp_method_converges(m, &truth->classes) == PERP_YES && with_defaults(number);
    if (!solved && (covered || strcmp(m->name, "auto") == 0) && getenv("PERP_MISSES") != NULL)
      printf("problem %llu, %s misses: %s\n", (unsigned long long)number, m->name, r.message);
    if (covered) {
      t->covered++;
      t->covered_missed += !solved;
      if (!solved && m->traits & PERP_TRAIT_FINITE && !(m->traits & PERP_TRAIT_ALL) && !s->scaled &&
          !problem_class_is_wide(s->kind))
        report(s, number, m->name, "finite by theory, yet not solved: %s", r.message);
    }
    if (!solved && m->traits & PERP_TRAIT_ALL && !s->scaled && with_defaults(number) &&
        !problem_class_is_wide(s->kind))
      report(s, number, m->name, "finds none of the solutions: %s", r.message);
  } else {
    family[s->kind].unsolvable_solves++;
    t->unsolvable++;
    t->infeasible += truth->feasible == EXACT_NO;
    t->proved_none += r.status == PERP_STATUS_NO_SOLUTION || r.status == PERP_STATUS_INFEASIBLE;
  }
  return solved;
}

// auto may not miss a solvable problem of these classes.
static int must_solve(const small_problem *s, uint64_t number) {
  if (!with_defaults(number)) return 0;
  return s->kind == PROBLEM_P || s->kind == PROBLEM_PSD || (s->kind == PROBLEM_STRICT && s->plain);
}

static void cross_check(const small_problem *s, uint64_t number, const known *truth,
                        int auto_solved) {
#ifdef CAMPAIGN_SICONOS
  int found = 0;
  for (int k = 0; k < SICONOS_SOLVERS && s->plain; k++) {
    tally *t = &of[METHODS_MAX + k];
    double x[EXACT_ROWS];
    perp_certificate c;
    const int32_t n = s->exact.n;
    now_who = siconos_name[k];
    const int claims = siconos_solve(k, n, s->A, s->b, x);
    if (truth->solvable == EXACT_YES) t->tried[s->kind]++;
    for (int i = 0; i < n; i++)
      if (!isfinite(x[i])) x[i] = 0.0;
    if (perp_certify(&s->problem, x, 1e-8, 0.0, NULL, &c) != PERP_OK) fail();
    if (c.solved && truth->solvable != EXACT_YES && !problem_class_is_wide(s->kind))
      report(s, number, siconos_name[k], "certified, but there is no solution");
    if (truth->solvable == EXACT_YES) t->missed[s->kind] += !(claims && c.solved);
    else t->unsolvable++;
    agreements += claims && c.solved;
    found |= c.solved;
  }
  if (!found || auto_solved) return;
  only_siconos++;
  if (must_solve(s, number)) report(s, number, "auto", "did not solve what Siconos does");
#else
  (void)s;
  (void)number;
  (void)truth;
  (void)auto_solved;
#endif
}

static void run_problem(uint64_t number) {
  small_problem s;
  known truth = {0};
  accepted seen = {0};
  const char *asked = getenv("PERP_FAMILY"), *only = getenv("PERP_METHOD");
  now_number = number;
  alarm(60);
  problem_make(number, &s);
  if (asked != NULL && strcmp(asked, problem_class_name(s.kind)) != 0) return;
  family_tally *f = &family[s.kind];
  truth.solvable = exact_solvable(&s.exact, truth.x);
  truth.feasible = exact_feasible(&s.exact);
  if (truth.solvable == EXACT_OVERFLOW || truth.feasible == EXACT_OVERFLOW) {
    f->skipped++;
    return;
  }
  if (perp_classify(&s.problem, NULL, &truth.classes) != PERP_OK) fail();
  // Copositive matrices have solutions by Lemke's theorem where every row is 0 <= x, else not.
  if (!s.plain) truth.classes.of[PERP_CLASS_NONNEGATIVE].verdict = PERP_UNKNOWN;
  f->problems++;
  f->solvable += truth.solvable == EXACT_YES;
  if (asked_for_one()) {
    problem_print(&s);
    printf("exact: %s\n", truth.solvable == EXACT_YES  ? "solvable"
                          : truth.feasible == EXACT_NO ? "infeasible"
                                                       : "feasible, no solution");
  }
  int auto_solved = 0;
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    if (only != NULL && strcmp(only, m->name) != 0) continue;
    const int solved = campaign_method(&s, number, m, &truth, &seen, &of[k]);
    if (strcmp(m->name, "auto") != 0) continue;
    auto_solved = solved;
    f->missed += !solved && truth.solvable == EXACT_YES;
    if (!solved && truth.solvable == EXACT_YES && must_solve(&s, number))
      report(&s, number, "auto", "a solvable problem of class %s is not solved",
             problem_class_name(s.kind));
  }
  if (only == NULL) cross_check(&s, number, &truth, auto_solved);
}

static family_tally sum_of_families(void) {
  family_tally sum = {0};
  for (int c = 0; c < PROBLEM_CLASSES; c++) {
    sum.problems += family[c].problems;
    sum.solvable += family[c].solvable;
    sum.skipped += family[c].skipped;
    sum.distant += family[c].distant;
  }
  return sum;
}

static void print_families(void) {
  printf("\nleft out: the exact code overflows. missed: solvable, not solved by auto. far: claims of a "
         "solution\nmore than %g max(1, |x_i|) away from every exact one. solves: of unsolvable "
         "problems, by all methods.\nfalse: \"solved\" among them. by auto: likewise, of the "
         "unsolvable problems. infeasible: false claims of it.\n", FAR);
  printf("%-20s %9s %9s %10s %8s %7s %7s %9s %6s %8s %10s\n", "family", "problems", "solvable",
         "unsolvable", "left out", "missed", "far", "solves", "false", "by auto", "infeasible");
  for (int c = 0; c < PROBLEM_CLASSES; c++) {
    const family_tally *f = &family[c];
    if (f->problems == 0) continue;
    printf("%-20s %9lld %9lld %10lld %8lld %7lld %7lld %9lld %6lld %8lld %10lld\n",
           problem_class_name((problem_class)c), (long long)f->problems, (long long)f->solvable,
           (long long)(f->problems - f->solvable), (long long)f->skipped, (long long)f->missed,
           (long long)f->distant, (long long)f->unsolvable_solves, (long long)f->false_claims,
           (long long)f->false_of_auto, (long long)f->false_infeasible);
  }
  fflush(stdout);
}

// A part of the long campaign has too few unsolvable problems for a rate of 10^-4: one of auto's
// answers may be false in each family.
static void check_families(int is_part) {
  for (int c = 0; c < PROBLEM_CLASSES; c++) {
    const family_tally *f = &family[c];
    const int wide = problem_class_is_wide((problem_class)c);
    const int64_t claims = wide ? f->unsolvable_solves/10000 : 0;
    const int64_t of_auto = wide ? (f->problems - f->solvable)/10000 + is_part : 0;
    if (f->false_claims > (claims > of_auto ? claims : of_auto) || f->false_of_auto > of_auto)
      fail_msg("%s: %lld claims of a solution are false and %lld of auto, at most %lld and %lld may be",
               problem_class_name((problem_class)c), (long long)f->false_claims,
               (long long)f->false_of_auto, (long long)claims, (long long)of_auto);
    assert_int_equal(f->false_infeasible, 0);
  }
}

static void print_tallies(void) {
  const family_tally sum = sum_of_families();
  printf("%lld problems, %lld solvable; %lld left out (overflow of the exact code)\n",
         (long long)sum.problems, (long long)sum.solvable, (long long)sum.skipped);
  printf("%lld claims undecided (overflow likewise), %lld as accurate as doubles allow\n",
         (long long)undecided, (long long)attainable_claims);
  printf("%lld claimed solutions are more than %g of max(1, |x_i|) away from an exact one; %lld bounds "
         "by all blocks\n", (long long)sum.distant, FAR, (long long)whole_bounds);
  printf("the largest natural residual is %g of what is allowed\n", worst_residual);
  printf("%lld answers of auto proved by enclosure, %lld with an error bound\n", (long long)proofs,
         (long long)bounds);
  printf("solvable problems not solved, in percent (dash: none tried); without a solution: how "
         "many of them proved\n%-20s", "");
  for (int c = 0; c < PROBLEM_CLASSES; c++)
    printf(" %9.9s", problem_class_name((problem_class)c));
  printf(" | proved none / unsolvable, infeasible proved / all, missed / covered by theory\n");
  for (int32_t k = 0; k < METHODS_MAX + SICONOS_SOLVERS; k++) {
    const tally *t = &of[k];
    const char *name = k < perp_method_count() ? perp_method_at(k)->name : NULL;
#ifdef CAMPAIGN_SICONOS
    if (k >= METHODS_MAX) name = siconos_name[k - METHODS_MAX];
#endif
    int64_t runs = t->unsolvable;
    for (int c = 0; c < PROBLEM_CLASSES; c++) runs += t->tried[c];
    if (name == NULL || runs == 0) continue;
    printf("%-20s", name);
    for (int c = 0; c < PROBLEM_CLASSES; c++) {
      if (t->tried[c] == 0) printf(" %9s", "-");
      else printf(" %9.3f", 100.0*(double)t->missed[c]/(double)t->tried[c]);
    }
    printf(" | %lld/%lld %lld/%lld %lld/%lld\n", (long long)t->proved_none,
           (long long)t->unsolvable, (long long)t->proved_infeasible, (long long)t->infeasible,
           (long long)t->covered_missed, (long long)t->covered);
  }
  printf("Siconos and the certificate agree on %lld solutions; %lld problems that Siconos solves "
         "and auto does not\n", (long long)agreements, (long long)only_siconos);
  fflush(stdout);
}

static void every_claim_is_true(void **state) {
  (void)state;
  const char *one = getenv("PERP_PROBLEM"), *shard = getenv("PERP_SHARD");
  const int longer = getenv("PERP_LONG_TESTS") != NULL;
  assert_true(perp_method_count() <= METHODS_MAX);
  uint64_t first = 0, count = (uint64_t)fewer(10000);
  if (longer) {
    const uint64_t part = shard != NULL ? strtoull(shard, NULL, 10) : 0;
    assert_true(part < SHARDS);
    count = shard != NULL ? SHARD_PROBLEMS : (uint64_t)SHARDS*SHARD_PROBLEMS;
    first = 1000000 + SHARD_PROBLEMS*part;
  }
  if (one != NULL) {
    first = strtoull(one, NULL, 10);
    count = 1;
  }
  const int signs[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM};
  for (size_t k = 0; k < sizeof signs/sizeof signs[0]; k++) signal(signs[k], tell_where);
  for (uint64_t k = first; k < first + count; k++) run_problem(k);
  alarm(0);
  print_tallies();
  print_families();
  const family_tally sum = sum_of_families();
  assert_true(sum.skipped <= sum.problems/1000 && undecided <= sum.problems/1000);
  if (wrong > 0) fail_msg("%lld findings, see above", (long long)wrong);
  if (!rule_is_off()) check_families(longer && shard != NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_claim_is_true)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
