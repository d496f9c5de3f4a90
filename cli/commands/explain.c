// explain.c: perp explain: describes a method from its table, or explains a topic.
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "command.h"
#include "describe.h"
#include "solve_settings.h"
#include "suggest.h"
#include "text.h"

enum { TEXT_COLUMN = 15 };   // where the text beside a label begins

static void row(const char *label, const char *text) {
  text_row(stdout, 0, label, TEXT_COLUMN, text);
}

static void heading(const char *text) {
  fputs(text_paint(stdout, TEXT_BOLD), stdout);
  text_wrap(stdout, text, 0, 2);
  printf("%s\n", text_paint(stdout, TEXT_PLAIN));
}

static void explain_method(const perp_method *method) {
  char text[512], list[400];
  snprintf(text, sizeof text, "%s: %s%s%s%s", method->name, method->title,
           *method->source ? " (" : "", method->source, *method->source ? ")" : "");
  heading(text);
  printf("  ");
  text_wrap(stdout, method->formula, 2, 6);
  putchar('\n');
  if (method->use) {
    row("Choose it for", method->use);
  } else {
    snprintf(text, sizeof text, "%s: %s", describe_tier(method->tier),
             describe_tier_text(method->tier));
    row("Tier", text);
  }
  row("Converges", method->converges);
  row("Cost", method->cost);
  describe_list(method, DESCRIBE_NEEDS, list, sizeof list);
  row("Needs", *list ? list : "products with A only");
  describe_list(method, DESCRIBE_ACCEPTS, list, sizeof list);
  snprintf(text, sizeof text, "0 <= x%s%s", *list ? "; " : " only", list);
  row("Accepts", text);
  describe_list(method, DESCRIBE_ASSUMES, list, sizeof list);
  snprintf(text, sizeof text, "%s%s", *list ? list : "every A",
           method->assumes & ~PERP_ASSUMES_NO_PROOF ? " ('perp explain classes')" : "");
  row("Proved for", text);
  if (describe_word(method, DESCRIBE_TRAITS, 0))
    row("Traits", describe_list(method, DESCRIBE_TRAITS, list, sizeof list));
  if (method->n_max > 0) {
    snprintf(text, sizeof text, "n = %d", (int)method->n_max);
    row("Largest", text);
  }
  row("Advice", method->advice);
  if (method->parameter_count > 0)
    printf("\nParameters, besides those that every method has ('perp help solve'):\n");
  for (int32_t i = 0; i < method->parameter_count; i++) {
    option_entry entry;
    char spelling[160];
    options_describe(&method->parameters[i], &entry);
    text_row(stdout, 2, option_spelling(&entry, spelling, sizeof spelling) + 4, 30, entry.help);
  }
  if (method->preset_count > 0) printf("\nPresets:\n");
  for (int32_t i = 0; i < method->preset_count; i++) {
    char name[80];
    snprintf(name, sizeof name, "--preset %s", method->presets[i].name);
    text_row(stdout, 2, name, 30, method->presets[i].help);
  }
  if (method->needs & PERP_NEEDS_BODIES) {   // files have entries, scenes have bodies
    printf("\nExample:\n  perp run hollow-sphere --steps 60 --method %s\n", method->name);
    return;
  }
  const char *family = method->needs & PERP_NEEDS_CONTACTS         ? "friction"
                       : method->needs & PERP_NEEDS_TRIDIAGONAL   ? "bearing --ny 1"
                       : method->n_max > 0 && method->n_max <= 20 ? "dense-pd --n 10"
                                                                  : perp_family_at(0)->name;
  printf("\nExample:\n  perp gen %s -o demo && perp solve demo --method %s\n", family,
         method->name);
}

static void explain_status(void) {
  heading("How a solve can end");
  for (int i = 0; i < PERP_STATUS_COUNT; i++) {
    char text[160];
    snprintf(text, sizeof text, "%d  %s", exit_code_of_status((perp_status)i),
             perp_status_text((perp_status)i));
    text_row(stdout, 2, perp_status_name((perp_status)i), 20, text);
  }
  putchar('\n');
  text_wrap(
      stdout,
      "The number is the exit status of 'perp solve'; 'perp explain exit' lists all exit statuses. "
      "Only 'solved' claims that x is a solution, and only the certificate can decide it: no "
      "method judges its own answer. In all other cases x is the best iterate found. The exit "
      "status of 'unsolved' is 4 instead of 1 if the method does not accept this A. Only "
      "'infeasible' and 'no solution' claim that there is no solution; 'no small solution' claims "
      "it only for small x.",
      0, 0);
}

static void explain_classes(void) {
  heading("Classes of matrices");
  for (int i = 0; i < PERP_CLASS_COUNT; i++) {
    text_row(stdout, 2, perp_class_name((perp_class)i), 26, perp_class_text((perp_class)i));
  }
  putchar('\n');
  text_wrap(
      stdout,
      "'perp classify DIR' reports the classes of a matrix; 'perp explain METHOD' lists the "
      "classes for which a method is proven to converge.",
      0, 0);
}

static void explain_exit(void) {
  heading("Exit status");
  for (int i = 0; exit_code_at(i); i++) {
    char code[16];
    snprintf(code, sizeof code, "%d", exit_code_at(i)->code);
    text_row(stdout, 2, code, 8, exit_code_at(i)->text);
  }
}

static void explain_files(void) {
  heading("Problems in files");
  text_wrap(stdout,
    "A problem is a directory. Let y = A x + b. Find x with lo <= x <= hi such that y_i >= 0 where "
    "x_i < hi_i, and y_i <= 0 where x_i > lo_i. So y_i = 0 if x_i lies between its bounds, and y_i "
    "is arbitrary if lo_i = hi_i.\n\n"
    "A.mtx and b.mtx hold the matrix and the vector. lo.mtx and hi.mtx hold the bounds; without "
    "them the bounds are 0 and infinite, which is the plain linear complementarity problem. A free "
    "row has lo = -inf and hi = inf, a fixed row has lo = hi. x0.mtx holds a guess to start from. "
    "Each file may be compressed as .mtx.gz. An optional grid.json tells 'perp plot' where the "
    "unknowns of a planar problem lie: {\"nx\": 50, \"ny\": 40} numbers them along x first. 'perp "
    "gen bearing' writes an example with all fields.\n\n"
    "The format is Matrix Market: coordinate or array; real or integer; general, symmetric or "
    "skew-symmetric. Symmetric files hold only the lower triangle, skew-symmetric files only what "
    "lies below the diagonal. Indices start at 1. A repeated entry is an error; entries are not "
    "added up. An infinite bound is inf, -inf, or any number of size 1e20 or more. Numbers are "
    "written with 17 digits, so reading them back gives the same bits.\n\n"
    "To write a full matrix by hand, give the header line, the size, and the numbers column by "
    "column. A = [2 1; 0 3] is\n\n"
    "    %%MatrixMarket matrix array real general\n"
    "    2 2\n"
    "    2\n"
    "    0\n"
    "    1\n"
    "    3\n\n"
    "A vector has the size '2 1'. scipy.io.mmwrite writes this format. Some programs use y = A x - "
    "b instead; change the sign of b for them.", 0, 0);
}

static void explain_certificate(void) {
  heading("The certificate");
  text_wrap(stdout,
    "One function decides whether x is a solution. It uses only the data of the problem as given, "
    "and computes y = A x + b in compensated arithmetic. It scales A from both sides (R A C, "
    "powers of two) until the largest entry of each row and column is near 1. The residual of a "
    "row is\n\n"
    "    r_i = |mid((x_i - hi_i)/C_i, R_i y_i, (x_i - lo_i)/C_i)|,\n\n"
    "and all r_i are zero exactly at a solution. In each connected component, the r_i are compared "
    "with the residual of the trivial point, 0 clamped to the bounds. 'solved' means that all r_i "
    "are at most tol times that residual, up to rounding. The tolerance does not grow with |A||x|, "
    "because that would accept points far out on a ray.\n\n"
    "This test alone could miss an error in a row whose numbers are much smaller than those of "
    "other rows. So each row is also compared with its own data: the componentwise residual is the "
    "largest error of a row relative to |A||x| + |b| in that row. It must not exceed "
    "--componentwise-tol, which is 1e6 tol by default. The steps of scenes are judged without this "
    "test unless you give the option.\n\n"
    "If A is the matrix of the optimality conditions of a quadratic program, the primal and the "
    "dual objective must also agree to tol.\n\n"
    "'attainable' means that x was accepted only because of the rounding errors of A x itself: "
    "double precision allows nothing better. 'natural' is max |x - clamp(x - y, lo, hi)| in the "
    "problem's own units. The gap is the sum of |y_i| times the distance of x_i from the bound "
    "that y_i points to.", 0, 0);
}

static void explain_infeasible(void) {
  heading("Problems without a solution");
  text_wrap(stdout,
    "A ray of Lemke's method, a stalled iteration or an exhausted limit proves nothing. A problem "
    "is called infeasible only if a vector u was found, and checked in rigorous arithmetic on the "
    "numbers in the files, with\n\n"
    "    u_i >= 0 if x_i has only a lower bound, u_i <= 0 if it has only an upper bound, u_i = 0 "
    "if it has both,\n\n"
    "    u'(A x + b) < 0 for every x within its bounds.\n\n"
    "A solution would have u_i y_i >= 0 in every row, so there is no solution (Farkas). For lo = 0 "
    "and no upper bounds the conditions are u >= 0, A'u <= 0, b'u < 0. A'u must have exactly the "
    "right signs. If one sign is wrong by delta, u only proves that no solution has |x|_1 < radius "
    "= -u'b/delta. If that radius is large (1.8e13 natural sizes of x) and no method has found a "
    "solution, the status is 'no small solution', with the radius and the exit status 1: a larger "
    "solution may exist.\n\n"
    "The margin -u'(A x + b) has to exceed what the tolerance of the certificate and the rounding "
    "of the data can explain. Numbers in files are rounded: x_1 = 0.1, x_2 = 0.2 and x_1 + x_2 = "
    "0.3 contradict each other by 2.8e-17. Such a problem is solved to the tolerance, and the "
    "message names the row and its error. So no problem has both a certified x and a proof that "
    "there is no solution.\n\n"
    "'perp solve --certificate u.mtx' writes u, and 'perp check DIR --infeasible u.mtx' checks it "
    "independently. Some problems have neither a solution nor such a u: there is an x whose y has "
    "the right signs, but none that is complementary. Only enumeration can prove that; its status "
    "is 'no solution'.",
    0, 0);
}

static void explain_friction(void) {
  heading("Coulomb friction");
  text_wrap(stdout,
    "The contact problem E13 (27) has these unknowns per contact: a normal impulse, K impulses "
    "along directions in the plane of contact, and a slack, which is the sliding speed:\n\n"
    "    y_n = B_nn x_n + B_nt x_t       + b_n\n"
    "    y_t = B_tn x_n + B_tt x_t + E s + b_t\n"
    "    y_s = mu x_n   - E'x_t\n\n"
    "A is not symmetric and has zeros on its diagonal, so plain sweeps cannot divide by it. 'perp "
    "classify' finds the contacts in any order of the rows. 'auto' then tries these methods in "
    "turn, and its message says which one succeeded: convex_friction for large heaps, "
    "contact_sweep, lemke from the states of the contacts, proximal (lemke on A + sigma I, which "
    "has no rays), fischer_newton, and proximal with a larger sigma. The certificate judges the "
    "problem as given, without sigma.\n\n"
    "No known method always solves such problems; an answer that is not certified is reported as "
    "unsolved. friction_boxes and other methods from games solve a simpler model; their answers "
    "have the status 'other model'.\n\n"
    "    perp gen friction --bodies 50 -o heap && perp solve heap", 0, 0);
}

static void explain_liquids(void) {
  heading("Liquids, and pressure that lets them separate from walls");
  text_wrap(stdout,
    "In every substep of a liquid, 'perp run' solves for the pressure p of the cells:\n\n"
    "    0 <= p  _|_  div u >= 0   in cells at walls: it pushes, and never pulls\n"
    "         div u = 0            in all other liquid cells\n"
    "         p = 0                in air\n\n"
    "where u is the velocity after the pressure has acted, and y = A p + b = density/dt div u. "
    "With --walls slip or no-slip all rows are equations, and the liquid sticks to walls. With "
    "--every-cell 1 the first line holds in all liquid cells. 'auto' runs active_set, which counts "
    "Newton iterations; its inner iterations are those of the linear solver. Units are metres, "
    "kilograms and seconds; pressure is in Pa, and the box is 1 m wide.\n\n"
    "If a step is not solved, the simulation continues with the best p found. The velocity keeps "
    "some divergence, and the step is red in the player. What to do depends on the cause:\n\n"
    "Stopped by --time-limit, --iteration-limit or --preset paper: raise the limit, or use "
    "--method auto. The certificate requires --tol 1e-8, whatever tolerance the method itself "
    "stops at.\n\n"
    "Infeasible: moving walls squeeze liquid that has no free surface. No pressure can prevent it, "
    "so the liquid is compressed. Leave some air, or slow the walls.\n\n"
    "Anything else: --dump-problems DIR writes the problem of each step, and 'perp solve' and "
    "'perp check' can work on it separately, with any method.\n\n"
    "A drift of the volume is not an error of the solver: it comes from the particles and the "
    "surface around them. --compensate 1 corrects it; a larger --size and a smaller --cfl reduce "
    "it. 'perp plot a.perp' draws it.\n\n"
    "    perp run ceiling -o a.perp && perp run ceiling --walls slip -o b.perp\n"
    "    perp view a.perp b.perp", 0, 0);
}

static void explain_linear(void) {
  heading("Linear systems inside the methods");
  for (int32_t i = 0; i < perp_linear_count(); i++)
    text_row(stdout, 2, perp_linear_at(i)->name, 20, perp_linear_at(i)->title);
  for (int i = 0; backend_at(i); i++)
    text_row(stdout, 2, backend_at(i)->name, 20, backend_at(i)->what);
  putchar('\n');
  text_wrap(stdout,
    "--linear NAME chooses one of them, for methods whose page says so. 'perp doctor' lists the "
    "backends that it has found. The other methods update factorizations of "
    "their own.\n\n"
    "The Newton methods solve one linear system per step. --newton.inner chooses how: direct "
    "factors the matrix; krylov iterates on the free rows; masks iterates on vectors of full "
    "length; differences needs only products with A.\n\n"
    "--krylov.solver: cg and cr need a symmetric A; gmres and bicgstab take any A, and bicgstab "
    "needs less memory.\n\n"
    "--krylov.preconditioner: ic and mic (incomplete Cholesky) need a symmetric A with a positive "
    "diagonal; mic is for grids. ainv_plain, ainv_scaled and ainv_static (approximate inverses) "
    "need the same, and are applied by products only. ilu takes any A. jacobi and identity are for "
    "operators whose entries are not known. If the matrix does not allow the choice, ilu or jacobi "
    "replaces it. Naming a solver or a preconditioner implies --newton.inner krylov.\n\n"
    "    perp solve demo -m minmap_newton --krylov.preconditioner mic", 0, 0);
}

static void explain_proof(void) {
  heading("Error bounds and proofs");
  text_wrap(stdout,
    "The certificate says that the residual of x is small. It does not say how far x is from the "
    "solution x*. --bound answers that rigorously for two kinds of matrices:\n\n"
    "    H+ (M-matrices too):   |x - x*| <= <A>^-1 D |r| componentwise\n"
    "    positive definite:     |x - x*| <= |A'r + r|/lambda, in equilibrated units\n\n"
    "where <A> is the comparison matrix, D the diagonal, r the natural residual and lambda a "
    "verified lower bound of the eigenvalues of (A + A')/2. For other matrices, and always for "
    "friction, the answer is 'unknown' with the reason. --bound-output writes the bound of every "
    "row.\n\n"
    "--prove shows more: an exact solution of the given problem lies in a small box around x. The "
    "proof needs a nonsingular block of free rows, and no row with x_i at its bound and y_i = 0. "
    "'not proven' does not mean that there is no solution.\n\n"
    "    perp solve demo --bound --prove", 0, 0);
}

static void explain_references(void) {
  static const struct { const char *name, *text; } sources[] = {
    {"E13", "K. Erleben: Numerical methods for linear complementarity problems in physics-based "
     "animation, SIGGRAPH Courses 2013; its equations are cited by number: E13 (27)"},
    {"MNS08", "J. L. Morales, J. Nocedal, M. Smelyanskiy: An algorithm for the fast solution of "
     "symmetric linear complementarity problems, Numerische Mathematik 111, 2008"},
    {"ANE17", "M. Andersen, S. Niebe, K. Erleben: A fast linear complementarity problem solver for "
     "fluid animation using high level algebra interfaces for GPU libraries, Computers & Graphics "
     "69, 2017"},
    {"BOX", "J. S. B. Nielsen: Complementarity problems, course report, University of Copenhagen, "
     "2009"},
    {"SPH", "Spheres with friction in a hollow sphere, a student's report on the methods of E13: "
     "spheres fall freely in a closed space, and their contact forces solve a complementarity "
     "problem"},
  };
  heading("Short names");
  for (size_t i = 0; i < sizeof sources/sizeof *sources; i++)
    text_row(stdout, 2, sources[i].name, 26, sources[i].text);
  printf("\nClasses of matrices:\n");
  for (int i = 0; i < PERP_CLASS_COUNT; i++)
    text_row(stdout, 2, perp_class_name((perp_class)i), 26, perp_class_text((perp_class)i));
  printf("\nSources of the methods; docs/theory.md has their titles:\n");
  for (int32_t i = 0; i < perp_method_count(); i++)
    text_row(stdout, 2, perp_method_at(i)->name, 26, perp_method_at(i)->source);
}

static const struct { const char *name, *title; void (*page)(void); } topics[] = {
  {"certificate", "when an answer counts as solved", explain_certificate},
  {"infeasible", "when a problem counts as having no solution", explain_infeasible},
  {"proof", "error bounds, and proofs of a solution", explain_proof},
  {"friction", "contacts with Coulomb friction", explain_friction},
  {"liquids", "pressure at walls, and steps that are not solved", explain_liquids},
  {"linear", "linear solvers, Krylov solvers and preconditioners", explain_linear},
  {"status", "how a solve can end, and its exit status", explain_status},
  {"classes", "the classes of matrices", explain_classes},
  {"files", "how a problem is written in files", explain_files},
  {"exit", "the exit status of the program", explain_exit},
  {"references", "what E13, BOX, SPH, H+ and other short names stand for", explain_references},
};
enum { TOPICS = sizeof topics / sizeof *topics };

const char *page_name_at(const void *unused, int index) {
  const char *name = method_name_at(unused, index);
  const int topic = index - (int)perp_method_count();
  return name ? name : topic >= 0 && topic < TOPICS ? topics[topic].name : NULL;
}

static int run(const arguments *args) {
  if (args->operands == 0) {
    printf("Methods:\n");
    for (int32_t i = 0; i < perp_method_count(); i++) {
      text_row(stdout, 2, perp_method_at(i)->name, 22, perp_method_at(i)->title);
    }
    printf("\nTopics:\n");
    for (int i = 0; i < TOPICS; i++) text_row(stdout, 2, topics[i].name, 22, topics[i].title);
    return CODE_OK;
  }
  const char *name = args->operand[0];
  const perp_method *method = perp_find_method(name);
  if (method) {
    explain_method(method);
    return CODE_OK;
  }
  for (int i = 0; i < TOPICS; i++) {
    if (strcmp(topics[i].name, name) != 0) continue;
    topics[i].page();
    return CODE_OK;
  }
  const char *near = suggest(name, page_name_at, NULL);
  if (near) return fail(CODE_USAGE, "there is no page on '%s'; did you mean '%s'?", name, near);
  return fail(CODE_USAGE, "there is no page on '%s'; 'perp explain' lists the pages", name);
}

extern const command command_explain;
const command command_explain = {
  .name = "explain",
  .title = "describe a method, or explain a topic",
  .synopsis = {"[METHOD | TOPIC]"},
  .description =
    "Describes a method: its iteration, when it converges, what it costs, what it needs, its "
    "parameters and what to try when it fails. Or explains a topic. Without a name, the command "
    "lists the methods and topics.",
  .operands_max = 1,
  .operand_kind = OPERAND_PAGE,
  .examples = {{"perp explain pgs", "a page on projected Gauss-Seidel"},
    {"perp explain certificate", "what 'solved' means"}},
  .run = run,
};
