// method.h: a row of the method table, and the interface of a linear solver.
//
// The table is the only list of methods: defaults, validation, the command line, the documentation,
// conformance tests and benchmarks read it through perp_method_at().
//
// E13: Erleben, Numerical methods for linear complementarity problems, 2013.
#ifndef PERP_METHOD_H
#define PERP_METHOD_H

#include "analysis.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

// needs: what the method demands of the operator and of A; all bits must be met
#define PERP_NEEDS_DIAGONAL  1u    // diagonal()
#define PERP_NEEDS_SWEEP     2u    // sweep(), or add_column() and diagonal()
#define PERP_NEEDS_SUBMATRIX 4u    // the entries of A: submatrix()
#define PERP_NEEDS_TRANSPOSE 8u    // apply_transpose()
#define PERP_NEEDS_CONTACTS 16u    // the contact LCP E13 (27): PERP_CLASS_FRICTION
#define PERP_NEEDS_TRIDIAGONAL 32u // no entry with |i - j| > 1
#define PERP_NEEDS_BODIES 64u      // an operator from perp_from_contacts; entries are not enough
#define PERP_NEEDS_SYMMETRIC 128u  // A = A' up to rounding, after presolve
#define PERP_NEEDS_NEARLY_SYMMETRIC 256u   // A = A' up to a thousandth, after rows and columns are
                                   //   scaled
#define PERP_NEEDS_POSITIVE_DIAGONAL 512u   // A_ii > 0

// accepts: kinds of rows beyond 0 <= x
#define PERP_ACCEPTS_FREE  1u      // lo = -inf, hi = inf
#define PERP_ACCEPTS_BOXED 2u      // any other bounds

// traits
#define PERP_TRAIT_GUESS      1u   // a good x makes it faster
#define PERP_TRAIT_ANYTIME    2u   // stopped early, it returns something useful
#define PERP_TRAIT_FINITE     4u   // ends by itself after finitely many steps
#define PERP_TRAIT_NO_ALLOC   8u   // perp_solve allocates nothing
#define PERP_TRAIT_SCALES    16u   // gains from diagonal scaling (the others are invariant)
#define PERP_TRAIT_ALL       32u   // looks for all solutions: runs even if x = 0 is one
#define PERP_TRAIT_SPLITS    64u   // prefers connected components one by one
#define PERP_TRAIT_META     128u   // runs other methods
#define PERP_TRAIT_EQUILIBRATE 256u   // wants rows and columns scaled to entries near 1
#define PERP_TRAIT_LINEAR   512u   // options.linear chooses its linear solver
#define PERP_TRAIT_QUICK   1024u   // small dense problems are first tried by principal pivots on
                                   //   the stack
#define PERP_TRAIT_GRID    2048u   // works on grids of cells without forming their entries

#define PERP_ASSUMES_NO_PROOF (1u << 31)   // a value of perp_method.assumes

typedef enum perp_kind {           // what a setting is
  // from here to PERP_KIND_SEED: see perp_parameter.kind
  PERP_KIND_REAL, PERP_KIND_INTEGER, PERP_KIND_LONG, PERP_KIND_SWITCH, PERP_KIND_CHOICE,
  PERP_KIND_SEED
} perp_kind;

typedef struct perp_parameter {    // a field of perp_options that can be named
  const char *name;                // "sweep.omega"
  perp_kind kind;                  // REAL double, INTEGER and SWITCH and CHOICE int32_t,
                                   //   LONG int64_t, SEED uint64_t
  size_t offset;                   // in perp_options
  double initial;                  // default
  double low, high;                // range
  int32_t low_open, high_open;     // 1: the end itself is outside
  const char *choices;             // CHOICE: "natural|coloured", in the order of the enum
  const char *help;                // one line
} perp_parameter;

typedef struct perp_preset {       // settings for perp_set_option(o, "preset", name)
  const char *name;                // "paper"
  const char *help;                // one line
  const char *const (*settings)[2];   // names and values
  int32_t count;                   // of settings
} perp_preset;

// Who a method is for. NONE: the row does not say.
#define PERP_TIER_LIST(X)                                                            \
  X(NONE,      "none",      "of no tier")                                            \
  X(CHOOSE,    "choose",    "methods for your problems; auto, the default, suits most") \
  X(REFERENCE, "reference", "methods of papers, to compare with")                    \
  X(INTERNAL,  "internal",  "steps that auto and other methods take, for experiments")

typedef enum perp_tier {
#define PERP_X(id, name, text) PERP_TIER_##id,
  PERP_TIER_LIST(PERP_X)
#undef PERP_X
  PERP_TIER_COUNT
} perp_tier;

struct perp_run;                   // a solve in progress: internal

struct perp_method {               // a row of the method table
  const char *name;                // "pgs"
  const char *title;               // "projected Gauss-Seidel"
  const char *use;                 // tier CHOOSE: when to choose it, as a phrase; otherwise NULL
  const char *source;              // "E13 5.2"
  const char *formula;             // the iteration in a line
  const char *converges;           // when, in a sentence
  const char *cost;                // per iteration
  const char *advice;              // what it is good for, and what to try when it fails
  uint32_t needs, accepts;         // PERP_NEEDS_*, PERP_ACCEPTS_*
  uint32_t assumes;                // PERP_CLASS_* as bits (1u << PERP_CLASS_SPD): any one of them
                                   //   proves convergence; 0: nothing is assumed;
                                   //   PERP_ASSUMES_NO_PROOF: there is no proof for any class
  uint32_t traits;                 // PERP_TRAIT_*
  int32_t n_max;                   // largest problem it takes; 0: any
  perp_tier tier;                  // who it is for
  const perp_parameter *parameters;
  int32_t parameter_count;
  const perp_preset *presets;
  int32_t preset_count;
  size_t (*bytes)(const perp_limits *limits, const perp_options *options);   // of its own arrays
  void (*run)(struct perp_run *run);   // internal
  // One pass that may solve the problem before any run; NULL: the method has none. It returns 1 if
  // x is within the bounds and probably a solution, else 0. A is a CSC matrix that the method
  // accepts, symmetric to the last bit. `memory` has bytes(). same = 1: A has the stamps of the last
  // call, and `memory` still holds what that call left.
  int (*attempt)(const perp_problem *problem, void *memory, int same, double *x);
  // The method that runs instead if A is symmetric and a time limit leaves no time to analyse A. It
  // accepts every problem that this one accepts. NULL: there is none.
  const perp_method *hasty;
  // The word for its iterations in "7 sweeps and 12 inner iterations": "Newton", "sweeps",
  // "pivots"; NULL: none.
  const char *iteration;
  // A sentence: which of its settings may help if it fails. NULL: none.
  const char *hint;
  int32_t boxed_n_max;             // largest problem it takes where rows have two finite bounds;
                                   //   0: n_max
};

int32_t perp_method_count(void);   // how many methods there are
const perp_method *perp_method_at(int32_t index);          // NULL outside 0 .. count-1
// tol, time_limit, ...: every method has them
int32_t perp_common_parameter_count(void);                 // how many there are
const perp_parameter *perp_common_parameter_at(int32_t index);   // NULL outside 0 .. count-1
// A parameter of the method, or one that every method has; NULL if there is none of this name.
const perp_parameter *perp_find_parameter(const perp_method *method, const char *name);
// The value of the parameter in these options.
double perp_parameter_value(const perp_options *options, const perp_parameter *parameter);

// PERP_YES if one of the method's classes is among those found, so that its convergence is proved.
perp_verdict perp_method_converges(const perp_method *method, const perp_classes *classes);

// Makes the checks with which a solve begins. PERP_OK: the method takes the problem. Otherwise it
// returns the error of perp_validate(), or PERP_ERROR_UNSUPPORTED, and perp_last_message() says what
// is missing and which methods take the problem. If the operator lacks a function, perp_solve
// returns the same error. If the entries of A do not fit, for example because A is not symmetric,
// perp_solve ends at once, unsolved, with the same message. May copy A.
perp_error perp_method_accepts(const perp_method *method, const perp_problem *problem);

// What `auto` would try, in which order and why: "nncg (A is symmetric), then apgd (A is
// symmetric)". Components are tried one by one in a solve; this looks at the problem as a whole.
perp_error perp_auto_plan(const perp_problem *problem, char *text, size_t size);

typedef struct perp_deadline {     // asked now and then by functions that may take long
  int (*passed)(void *context);    // non-zero: stop; NULL: there is no deadline
  void *context;
} perp_deadline;

// A linear solver for A_II z_I = rhs_I on a changing set I of free rows. F are the other rows.
struct perp_linear_ops {
  const char *name;                // "dense_lu"
  const char *title;               // "dense LU with partial pivoting"
  int (*accepts)(const perp_operator *A);
                                   // 1: can work with this view and these claims
  size_t (*bytes)(const perp_limits *limits);   // of `self`, without what analyse allocates
  // called once for each pattern of A; 0: fine. perp_copy_entries() copies the entries of A. Memory
  // that may grow comes from the allocator, which has both functions, and release() returns it.
  int (*analyse)(void *self, const perp_operator *A, const perp_options *options,
                 const perp_allocator *allocator);
  int (*update)(void *self, const uint8_t *is_free, const perp_deadline *deadline);
                                   // n: factor A_II; 0: fine, k > 0: singular at the k-th free row,
                                   // -1: deadline passed, -2: no memory
  int (*solve)(void *self, const double *rhs, double *z, const perp_deadline *deadline);
                                   // n each; z_F = 0; 0: fine, 1: not factored, -1: deadline passed
  double (*estimate)(const void *self, const uint8_t *is_free);
                                   // seconds that update + solve will take, roughly
  int32_t (*iterations)(const void *self);   // of all solves since analyse; NULL: direct
  void (*release)(void *self);     // after the last solve; NULL: nothing to release
  // A_II' z_I = rhs_I, otherwise as solve; NULL: it cannot
  int (*solve_transposed)(void *self, const double *rhs, double *z, const perp_deadline *deadline);
};
// The built-in linear solvers; src/linear/face/solvers.def lists them.
int32_t perp_linear_count(void);
const perp_linear_ops *perp_linear_at(int32_t index);         // NULL outside 0 .. count-1
const perp_linear_ops *perp_find_linear(const char *name);    // NULL if there is none

#ifdef __cplusplus
}
#endif
#endif
