// certify.h: the one judge of "solved": a certificate from the caller's own data.
//
// With y = A x + b (compensated), R and C the two-sided equilibration of A in powers of two, x
// clamped to its bounds:
//     r_i = |mid((x_i - hi_i)/C_i, R_i y_i, (x_i - lo_i)/C_i)|          zero exactly at a solution
// Per connected component c, with x_ref = clamp(0, lo, hi):
//     G_c = max r_i(x_ref),   s_i = R_i (|b| + |A||x_ref|)_i,   S_c = max s_i
//     solved:  r_i <= T = tol (G_c if > 0, else s_i),  or
//              R_i |y_i| <= T + 32 u s_i + min(32 u R_i (|A||x|)_i, cap)
//              for all i,  cap = 100 tol (G_c if > 0, else S_c), up to 1e-4 of it where the two
//              scalings below disagree on row i
// and where G_c = S_c = 0, a cone, without the cap.
// Where A is reducible, strongly connected blocks take the place of the components, each judged
// with what flows into it as data: certify_blocks.c.
// The rounding allowance 32 u s_i is the row's own: with S_c, one b_i = 1e20 would have every other
// row accepted. Empty rows get no tolerance and do not count in S; neither does a component where G
// or S overflows get any. Rows and columns that no nonzero ties together (a zero diagonal makes
// such halves) have independent units: b settles them, or else the smallest
// bound of x, and where there is neither only exact zeros pass.
// Rows that no x within the bounds can satisfy have their own data in place of G_c, S_c and s_i:
// certify_impossible.h.
// Nothing is scaled by |A||x| without a cap: that would accept rays.
//
// Where the entries of A differ widely there are two scalings: one that rows and columns of A
// scaled by anybody do not change, and one that begins at the caller's units. Alone the first
// accepts x = (1, 0) for A = [1 1e-9; 0 1], b = (-1, -1), because the tiny entry is the only link
// between the two units; alone the second accepts well-scaled non-solutions once rows are
// multiplied by 1e12. Both have to hold: with each normalised to a base of 1, the larger R_i and
// the smaller C_i make r_i at least as large as in either.
#ifndef PERP_CERTIFY_H
#define PERP_CERTIFY_H

#include <perp/method.h>

#include "arena.h"
#include "facts.h"
#include "team.h"

// What x is judged by, row by row. It is that of the components, R, C, G, S and s, unless A is
// reducible: then it belongs to the blocks, and to the x at hand.
typedef struct certify_rule {
  const int32_t *part;                // n: component or block of each row
  double *R, *inverse_C, *held_R, *s; // n each
  double *T;                          // n: what tol is relative to; NULL: G, or s where that is 0
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
struct certifier {           // all that does not depend on x, but for the rule
  const judge_ops *ops;
  const perp_problem *problem;
  int32_t n;
  int exact;                 // every y compensated, also where rounding cannot matter
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
  int settles;               // some component may have G = 0
  int32_t infeasible;        // an empty row that no x can satisfy; -1: none, or nobody looked
  // The rule that is applied: that of the components, or of the blocks
  certify_rule rule;
  facts facts;               // of A, whatever is claimed; the owner forgets them with the stamps
  struct {                   // what the look at A found
    uint64_t pattern_stamp, value_stamp;   // of the A that R, C, component belong to; 0: none
    int hurried;             // there was no time for more than the diagonal: no verdict is final
    int unitless;            // where hurried: rows without a diagonal have no units, so that
                             //   residuals of two x cannot be compared
    int ties;                // but which rows are tied together could be told: set by the caller
    int weaker;              // as in perp_certificate
    int equilibrated;        // R |A| C <= 2: the operator told its row and column maxima
    int balanced;            // ... or they are known otherwise: methods may scale by them
    int shifted;             // A is a pile of wrappers with a shift among them, or
    int product;             // around J W J' or contacts: then c->parts is used
    int rough;               // a of x_ref is too large: it would have taken too long
    int reducible;           // there are more blocks than components
  } look;
  double *parts;             // n: a, counting A and shift, or J, W and J', apart
  certify_units fit, given;  // of A alone, whatever its units; of A in the caller's units
  int two;                   // both are needed
  certify_units held;        // one of them while the other is settled; then held.R is the smaller R
  struct {                   // is a plain product good enough?
    double most_entries, least_entries, most_S, least_G;   // over entries_i, s_i, G_c
    double safe_x;           // max |x_i| up to which |A||x| + |b| certainly does not overflow
  } range;
  struct {                   // the last check
    int twice;               // took a second product, a compensated one
    int snaps;               // 0: solver_snap would move nothing in its x
    int left;                // left out rows next to their bounds
  } last;
  struct {                   // strongly connected blocks, where A is reducible: certify_blocks.c
    int32_t *of, count;      // n: of each row
    uint8_t *closed;         // one per block: no x changes its rule
    int32_t *half, halves;   // 2 n: see components_halves, of the blocks alone
    certify_rule rule;       // its memory
    double *y_ref, *a_ref;   // n each: y and a at x_ref
    struct block_scaling { double *R, *C, *base; } first, second;   // n: settled; base: G_c
  } blocks;
  struct {                   // componentwise.h
    double tol;              // the option; set by the caller, 0 after certifier_layout
    int sized;               // c->a of the last check was told by A
    uint8_t *lenient;        // one per component, at most n: 1 or 0
    double *least;           // one per component, at most n: the smallest datum
  } componentwise;
  struct {                   // the x of the last check, moved to the bounds that its y points to
    int known;               // it moves, and the rest belongs to it
    double *x, *y;           // n
    double *kept;            // n: c->x meanwhile
    perp_certificate certificate;   // without moving it once more,
    int snaps;               //   and whether that would move anything
  } near;
  struct {                   // rows that no x can satisfy: certify_impossible.h
    int32_t count;           // where it is 0, the rest means nothing
    uint8_t *kind;           // n
    double *by;              // n: by how much they fail at least, in the units of y_i
    double *data;            // n: d_i, likewise
  } impossible;
  struct {                   // KKT systems of quadratic programs: certify_kkt.c
    int32_t count;           // components that are one
    int all;                 // ... and there are no others but empty rows
    int32_t *part;           // n: which one of them; -1: none
    uint8_t *rows;           // n: for callers of kkt_judge()
    int8_t *side;            // n: 1 primal variable, -1 multiplier, 0 neither
    double *weight;          // n: d_i of certify_kkt.c
  } kkt;
  // Of grid_judge, which has nothing else but x, y, components and component: -1 or -2 where a cell
  // is tied to none
  struct {
    const perp_grid *cells;
    int16_t *exponent;       // n: of R and C
    grid_part *parts;        // n/2 + 1
    int32_t count;           // of parts
    perp_certificate reference;   // of x_ref, where it is 0 and no solution
  } grid;
};

// One row's part of the certificate; base and the rest are those of its component.
typedef struct certify_row {
  double r, base;
  double relative;           // r/base; where only the rounding of b excuses r, its part of tol
  int solved, strict;        // strict: without the allowance for the rounding of A x
} certify_row;
// For estimates, which have to compare one x with another. base: G_c if > 0, else S_c, else 1, of
// the component
typedef struct certify_scale { double R, inverse_C, base; } certify_scale;
// By how much y_i may miss its sign at most if an x passes, whatever that x is, in the units of y_i.
typedef struct certify_leeway {
  double tolerance;          // by the tolerance,
  double rounding;           //   by the rounding of the data,
  double product;            //   and by that of A x where x is large: the sum of the three
} certify_leeway;

// One certificate, two judges: matrix_judge reads the entries of A (certify.c), grid_judge knows the
// structure of a grid of cells and stores far less (certify_grid.c).
struct judge_ops {
  int by_entries;            // A may be copied entry by entry: for presolve, refinement, proofs
  int measures;              // the residual of a certificate is that of ->residual: no other is needed
  void (*layout)(certifier *c, arena *memory, int32_t n);
  // R, C, components, G, S; PERP_ERROR_OPERATOR if A aborted. Where the deadline (NULL: none) passes
  // before A is known, the certificate does with the diagonal, as for an operator without entries.
  perp_error (*prepare)(certifier *c, const perp_problem *problem, const perp_deadline *deadline);
  // The verdict on x. c->x and c->y hold the clamped x and its residual afterwards. far: x is not
  // expected to be a solution; where it clearly is none, a plain product suffices, and the numbers
  // are those of the exact one to a thousandth.
  perp_error (*check)(certifier *c, const double *x, double tol, double absolute_tol, int far,
                      perp_certificate *certificate);
  // The same of x_ref, right after prepare, which has computed its residual.
  void (*check_reference)(certifier *c, double tol, double absolute_tol,
                          perp_certificate *certificate);
  void (*take_reference)(certifier *c);   // right after prepare: c->x and c->y become those of x_ref
  // Row i. rule: R and 1/C of the rule; fit: the scaling of A alone, whatever its units;
  // settled: G_c = 0, x_ref solves the component; evaluate: y and a in the caller's units
  certify_scale (*scale)(const certifier *c, int32_t i);
  certify_scale (*rule)(const certifier *c, int32_t i);
  void (*fit)(const certifier *c, int32_t i, double *R, double *C);
  int (*settled)(const certifier *c, int32_t i);
  certify_row (*evaluate)(const certifier *c, int32_t i, double r, double y, double a, double tol);
  certify_leeway (*leeway)(const certifier *c, int32_t i, double tol, double absolute_tol);
  // See componentwise.h, from r, y and a = (|A||x| + |b|)_i; 0 where the row does not count, where
  // A tells no sizes, or where r is the distance to a bound.
  double (*componentwise)(const certifier *c, int32_t i, double r, double y, double a);
  // All rows at once; NULL: row by row.
  double (*residual)(const certifier *c, const double *x, const double *y);   // max r_i/base_c
  void (*weights)(const certifier *c, double *weight);                        // n: 1/(C base)
  // n: R/base; 1: a row that is not empty, whose component x_ref does not solve
  void (*units)(const certifier *c, double *unit, uint8_t *open);
};
extern const judge_ops matrix_judge, grid_judge;
const judge_ops *judge_for(const perp_limits *limits);

void certifier_layout(certifier *c, arena *memory, int32_t n, size_t scratch, const judge_ops *ops);
void certifier_forget(certifier *c);   // what it knows of A
void certifier_sizes(const certifier *c);   // c->a = |A||c->x| + |b| by the entries of A
// c->y = A c->x + b in compensated arithmetic, and c->a >= |A||c->x| + |b|.
perp_error certifier_residual(certifier *c);
// Makes the rule that of c->x, within its bounds; nothing to do unless A is reducible.
void certifier_rescale(const certifier *c);
// c->x of the last check moved to the bounds that c->y points to; returns whether any x_i moves.
int certifier_snap(const certifier *c, double *x /* n */);
// Right after prepare: 1 if neither x_ref nor x can be a solution, as a few rows tell.
// Only symmetric CSC matrices show them; 0: they may be solutions, or not.
int certifier_refutes(const certifier *c, const double *x, double tol);

// A certifier with memory of its own, as perp_certify uses it, and its end; name: of the caller, for
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
