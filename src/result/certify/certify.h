// certify.h: the one judge of "solved": a certificate from the caller's own data.
//
// x is clamped to its bounds, and y = A x + b is computed in compensated arithmetic. R and C are
// the two-sided equilibration of A, in powers of two. The error of row i is
//     r_i = |mid((x_i - hi_i)/C_i, R_i y_i, (x_i - lo_i)/C_i)|          zero exactly at a solution
// Each connected component c of A has, with x_ref = clamp(0, lo, hi),
//     G_c = max r_i(x_ref),   s_i = R_i (|b| + |A||x_ref|)_i,   S_c = max s_i
// x is solved if every row satisfies
//     r_i <= T,   or   R_i |y_i| <= T + 32 u s_i + min(32 u R_i (|A||x|)_i, cap)
//     T = tol G_c,  cap = 100 tol G_c;   if G_c = 0:  T = tol s_i,  cap = 100 tol S_c
// The allowance 32 u s_i is the row's own: with S_c, one b_i = 1e20 would have every other row
// accepted. The cap is there because |A||x| grows along rays: without it they would pass.
//
// Special cases:
// - If A is reducible, strongly connected blocks take the place of the components. What flows into
//   a block counts as its data (certify_blocks.c).
// - If the two scalings below disagree on row i, the cap grows by their ratio, up to 1e-4 G_c, or
//   1e-4 S_c if G_c = 0.
// - If G_c = S_c = 0, the solutions are a cone, and there is no cap.
// - Empty rows get no tolerance and do not count in S_c. A component whose G or S overflows gets no
//   tolerance either.
// - Rows and columns that no entry ties together, as can happen with zeros on the diagonal, have
//   independent units. b settles them, or else the smallest bound of x. If there is neither, only
//   exact zeros pass.
// - Rows that no x within the bounds can satisfy are judged by their own data
//   (certify_impossible.h).
//
// If the entries of A differ widely, x has to pass two scalings. The first does not change if the
// caller scales rows and columns. The second starts from the caller's units. Neither is enough
// alone: the first accepts x = (1, 0) for A = [1 1e-9; 0 1], b = (-1, -1), because the tiny entry
// is the only link between the two units; the second accepts wrong x if a row is multiplied by
// 1e12. Each scaling is normalised to a base of 1. Then the larger R_i and the smaller C_i make r_i
// at least as large as in either.
#ifndef PERP_CERTIFY_H
#define PERP_CERTIFY_H

#include <perp/method.h>

#include "arena.h"
#include "facts.h"
#include "team.h"

// The numbers by which rows are judged. They are those of the components, R, C, G, S and s. If A is
// reducible, they are those of its blocks and depend on x.
typedef struct certify_rule {
  const int32_t *part;                // n: component or block of each row
  double *R, *inverse_C, *held_R, *s; // n each
  double *T;                          // n: what tol is relative to; NULL: G, or s if G = 0
  double *noise;                      // n: rounding of x_j that flows in; NULL: none
  double *G, *S;                      // one per part, at most n
} certify_rule;

typedef struct grid_part {   // a component of a grid, of several cells
  double unit;               // R_i = 2^exponent_i unit, 1/C_i = unit/2^exponent_i
  double G, S;
} grid_part;

typedef struct certify_units { double *R, *C; } certify_units;   // n each
typedef struct judge_ops judge_ops;
typedef struct certifier certifier;
struct certifier {           // all that does not depend on x, except the rule
  const judge_ops *ops;
  const perp_problem *problem;
  int32_t n;
  int exact;                 // 1: every y is compensated, even if rounding cannot matter
  team *threads;             // may be NULL
  double *work;              // 12 n
  void *scratch;             // the operator's
  double *x, *y, *a;         // n: the clamped x, y = A x + b,
                             //   a >= |A||x| + |b| (of compensated products only)
  // The rule of the components
  int32_t *component, components;   // n
  int32_t *half, halves;     // 2 n: see components_halves
  int32_t *entries;          // n: nonzeros of each row
  double *R, *C, *inverse_C; // n: those of the verdict
  double *G, *S;             // one per component, at most n
  double *s;                 // n: rounding scale of each row
  int reference_is_zero;     // x_ref is 0
  int settles;               // 1: some component may have G = 0
  int32_t infeasible;        // an empty row that no x can satisfy; -1: none is known
  // The rule in use: that of the components, or of the blocks
  certify_rule rule;
  facts facts;               // of A, from its entries; the owner forgets them with the stamps
  struct {                   // what the examination of A found
    uint64_t pattern_stamp, value_stamp;   // of the A that R, C, component belong to; 0: none
    int hurried;             // there was time for the diagonal only: no verdict is final
    int unitless;            // if hurried: rows without a diagonal have no units, so residuals of
                             //   two x cannot be compared
    int ties;                // 1: if hurried, find the ties between rows; set by the caller
    int weaker;              // as in perp_certificate
    int equilibrated;        // R |A| C <= 2: the operator told its row and column maxima
    int balanced;            // the maxima are known from A or otherwise: methods may use R, C
    int shifted;             // A has a shift among its wrappers: c->parts is used
    int product;             // A is J W J' or contacts under wrappers: c->parts is used
    int rough;               // a of x_ref is only a bound, because the sum would take too long
    int reducible;           // there are more blocks than components
  } look;
  double *parts;             // n: a, with A and shift, or J, W and J', counted separately
  certify_units fit, given;  // scalings: independent of the caller's units; from the caller's units
  int two;                   // 1: x has to pass both
  certify_units held;        // one of them while the other is settled; then held.R is the smaller R
  struct {                   // tells whether a plain product is accurate enough
    double most_entries, least_entries, most_S, least_G;   // over entries_i, s_i, G_c
    double safe_x;           // max |x_i| up to which |A||x| + |b| certainly does not overflow
  } range;
  struct {                   // the last check
    int twice;               // 1: it took a second product, a compensated one
    int snaps;               // 0: solver_snap would move nothing in its x
    int left;                // 1: it left out rows next to their bounds
  } last;
  struct {                   // strongly connected blocks, if A is reducible: certify_blocks.c
    int32_t *of, count;      // n: of each row
    uint8_t *closed;         // one per block; 1: its rule is the same for every x
    int32_t *half, halves;   // 2 n: see components_halves; of the blocks alone
    certify_rule rule;       // its memory
    double *y_ref, *a_ref;   // n each: y and a at x_ref
    struct block_scaling { double *R, *C, *base; } first, second;   // n: settled; base: G_c
  } blocks;
  struct {                   // componentwise.h
    double tol;              // the option; set by the caller, 0 after certifier_layout
    int sized;               // 1: c->a of the last check comes from A
    uint8_t *lenient;        // one per component, at most n: 1 or 0
    double *least;           // one per component, at most n: the smallest datum
  } componentwise;
  struct {                   // the x of the last check, moved to the bounds that its y points to
    int known;               // 1: some x_i moves, and the fields below belong to the moved x
    double *x, *y;           // n
    double *kept;            // n: c->x meanwhile
    perp_certificate certificate;   // of the moved x
    int snaps;               // 1: moving it again would change it
  } near;
  struct {                   // rows that no x can satisfy: certify_impossible.h
    int32_t count;           // if it is 0, the fields below are not set
    uint8_t *kind;           // n: an impossible_kind
    double *by;              // n: by how much each one fails at least, in the units of y_i
    double *data;            // n: d_i, in the units of y_i
  } impossible;
  struct {                   // KKT systems of quadratic programs: certify_kkt.c
    int32_t count;           // components that are KKT systems
    int all;                 // 1: all components are, except empty rows
    int32_t *part;           // n: which of these components; -1: none
    uint8_t *rows;           // n: for callers of kkt_judge()
    int8_t *side;            // n: 1 primal variable, -1 multiplier, 0 neither
    double *weight;          // n: d_i of certify_kkt.c
  } kkt;
  // Of grid_judge, which uses these, x, y, components and component (-1 or -2: a cell without one)
  struct {
    const perp_grid *cells;
    int16_t *exponent;       // n: of R and C
    grid_part *parts;        // n/2 + 1
    int32_t count;           // of parts
    perp_certificate reference;   // of x_ref, if it is 0 and no solution
  } grid;
};

// One row's part of the certificate; base and the rest are those of its component.
typedef struct certify_row {
  double r, base;
  double relative;           // r/base; if only the rounding of b excuses r, its part of tol
  int solved, strict;        // strict: without the allowance for the rounding of A x
} certify_row;
// For estimates, which compare one x with another. base: of the component, G_c if > 0, else S_c if
// > 0, else 1
typedef struct certify_scale { double R, inverse_C, base; } certify_scale;
// The most by which y_i may miss its sign in any x that passes, in the units of y_i.
typedef struct certify_leeway {
  double tolerance;          // the sum of three parts: by the tolerance,
  double rounding;           //   by the rounding of the data,
  double product;            //   and by the rounding of A x if x is large
} certify_leeway;

// One certificate, two judges: matrix_judge reads the entries of A (certify.c), grid_judge knows
// the structure of a grid of cells and stores far less (certify_grid.c).
struct judge_ops {
  int by_entries;            // 1: A may be copied entry by entry: for presolve, refinement, proofs
  int measures;              // 1: a certificate has the residual that residual() would compute
  void (*layout)(certifier *c, arena *memory, int32_t n);
  // R, C, components, G, S; PERP_ERROR_OPERATOR if A aborted. If the deadline (NULL: none) passes
  // before A is known, the certificate uses the diagonal only, as for an operator without entries.
  perp_error (*prepare)(certifier *c, const perp_problem *problem, const perp_deadline *deadline);
  // The verdict on x. Afterwards c->x and c->y hold the clamped x and its y. far = 1: x is probably
  // no solution. If that is clear from a plain product, there is no compensated one, and the
  // numbers agree with those of a compensated one to a thousandth.
  perp_error (*check)(certifier *c, const double *x, double tol, double absolute_tol, int far,
                      perp_certificate *certificate);
  // The same for x_ref, right after prepare, which has computed its y.
  void (*check_reference)(certifier *c, double tol, double absolute_tol,
                          perp_certificate *certificate);
  void (*take_reference)(certifier *c);   // right after prepare: c->x and c->y become those of x_ref
  // Row i. rule: R and 1/C of the rule; fit: the scaling that does not depend on the caller's
  // units; settled: 1: G_c = 0, so x_ref solves the component; evaluate: y and a in the caller's
  // units
  certify_scale (*scale)(const certifier *c, int32_t i);
  certify_scale (*rule)(const certifier *c, int32_t i);
  void (*fit)(const certifier *c, int32_t i, double *R, double *C);
  int (*settled)(const certifier *c, int32_t i);
  certify_row (*evaluate)(const certifier *c, int32_t i, double r, double y, double a, double tol);
  certify_leeway (*leeway)(const certifier *c, int32_t i, double tol, double absolute_tol);
  // See componentwise.h, from r, y and a = (|A||x| + |b|)_i. 0: the row does not count, A tells no
  // sizes, or r is the distance to a bound.
  double (*componentwise)(const certifier *c, int32_t i, double r, double y, double a);
  // All rows at once; NULL: row by row.
  double (*residual)(const certifier *c, const double *x, const double *y);   // max r_i/base_c
  void (*weights)(const certifier *c, double *weight);                        // n: 1/(C base)
  // n: R/base; open = 1: the row is not empty, and x_ref does not solve its component
  void (*units)(const certifier *c, double *unit, uint8_t *open);
};
extern const judge_ops matrix_judge, grid_judge;
const judge_ops *judge_for(const perp_limits *limits);

void certifier_layout(certifier *c, arena *memory, int32_t n, size_t scratch, const judge_ops *ops);
void certifier_forget(certifier *c);   // forgets A
void certifier_sizes(const certifier *c);   // c->a = |A||c->x| + |b| by the entries of A
// c->y = A c->x + b in compensated arithmetic, and c->a >= |A||c->x| + |b|.
perp_error certifier_residual(certifier *c);
// Sets the rule for c->x, which is within its bounds. Without effect unless A is reducible.
void certifier_rescale(const certifier *c);
// Moves c->x of the last check to the bounds that c->y points to, into x. Returns 1 if any x_i
// moves.
int certifier_snap(const certifier *c, double *x /* n */);
// Right after prepare. 1: a few rows show that neither x_ref nor x is a solution. 0: not known.
// Only symmetric CSC matrices show single rows.
int certifier_refutes(const certifier *c, const double *x, double tol);

// A certifier with memory of its own, for perp_certify and proofs. name: the caller's, for
// messages.
typedef struct certifier_alone {
  certifier c;
  perp_allocator from;
  void *block;
} certifier_alone;
perp_error certifier_begin(const char *name, const perp_problem *problem,
                           const perp_allocator *allocator, certifier_alone *alone);
void certifier_end(certifier_alone *alone);
perp_error certify_check_tolerances(const char *name, double tol, double absolute_tol);

#endif
