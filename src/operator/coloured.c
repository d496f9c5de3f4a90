// coloured.c: projected Gauss-Seidel over coloured blocks of rows, in parallel with the same bits.
//
//   for each colour, for each of its blocks in parallel, for each row i of the block in order:
//     y_i = b_i + sum_j A_ij x_j,   x_i <- clamp(x_i - omega y_i/A_ii, lo_i, hi_i)
//
// A block is a run of successive rows. Two blocks touch if an entry couples them. Greedy colouring
// in the order of the blocks gives touching blocks different colours, so a block reads nothing that
// another block of its colour writes. A backward pass reverses the order; a forward and a backward
// pass together are the symmetric method. Inside a block the sweep is Gauss-Seidel itself, so it
// converges nearly as fast.
// A sweep reads A by rows. If A is exactly symmetric by value, column i serves as row i; otherwise
// the plan keeps a copy by rows.
// Cost: a pass reads A once.
#include <string.h>

#include "operator.h"
#include "symmetry.h"
#include "vector.h"

enum { BLOCK_ROWS = 256 };   // rows of a block; single rows: 1.14 times the work on dense matrices
#define TASK_BLOCKS (TEAM_TASK_ROWS/BLOCK_ROWS)

struct coloured {
  int32_t n, blocks, colours;
  const int32_t *rowptr, *column;      // n + 1, nnz: A by rows; the caller's columns if symmetric
  const double *value;                 // nnz
  int32_t *own_rowptr, *own_column;    // n + 1, nnz: room for the copy
  double *own_value;                   // nnz
  int32_t *colour;                     // blocks
  int32_t *start;                      // blocks + 1: the blocks of colour c are
  int32_t *order;                      //   blocks: order[start[c]] .. order[start[c+1]-1]
  int32_t *mark;                       // n: work
  double *step;                        // n: omega/A_ii; 0: relaxed() decides
  double *change;                      // blocks: largest change of each task
  const double *step_diagonal;         // the diagonal and omega that `step` was made from
  double step_omega;
};

typedef struct pass {                  // the blocks of one colour, for the tasks
  coloured *plan;
  perp_sweep *state;
  const int32_t *order;                // count blocks
  int32_t count;
} pass;

int coloured_accepts(const perp_view *view) {
  return view->kind == PERP_VIEW_CSC && view->R == NULL && view->C == NULL && view->shift == 0.0;
}

// Takes the arrays from a counting or a real arena. Returns 1 if everything fits.
static int lay_out(arena *memory, coloured **plan, int32_t n, int64_t nnz) {
  const int32_t blocks = n/BLOCK_ROWS + (n % BLOCK_ROWS != 0);
  coloured *c = ARENA_ARRAY(memory, coloured, 1);
  coloured unused, *at = c != NULL ? c : &unused;
  *at = (coloured){.n = n, .blocks = blocks};
  at->step = ARENA_ARRAY(memory, double, n);
  at->change = ARENA_ARRAY(memory, double, blocks);
  at->colour = ARENA_ARRAY(memory, int32_t, blocks);
  at->start = ARENA_ARRAY(memory, int32_t, (size_t)blocks + 1);
  at->order = ARENA_ARRAY(memory, int32_t, blocks);
  at->mark = ARENA_ARRAY(memory, int32_t, n);
  at->own_rowptr = ARENA_ARRAY(memory, int32_t, (size_t)n + 1);
  at->own_column = ARENA_ARRAY(memory, int32_t, nnz);
  at->own_value = ARENA_ARRAY(memory, double, nnz);
  *plan = c;
  return c != NULL && c->step != NULL && c->change != NULL && c->colour != NULL &&
         c->start != NULL && c->order != NULL && c->mark != NULL && c->own_rowptr != NULL &&
         c->own_column != NULL && c->own_value != NULL;
}

size_t coloured_bytes(int32_t n, int64_t nnz) {
  arena count = {NULL, 0, 0};
  coloured *unused;
  lay_out(&count, &unused, n, nnz);
  return count.used;
}

static void copy_by_rows(coloured *c, const perp_csc *A) {
  int32_t *rowptr = c->own_rowptr, *next = c->mark;
  memset(rowptr, 0, ((size_t)c->n + 1)*sizeof *rowptr);
  for (int32_t p = A->colptr[0]; p < A->colptr[c->n]; p++) rowptr[A->row[p] + 1]++;
  for (int32_t i = 0; i < c->n; i++) {
    rowptr[i + 1] += rowptr[i];
    next[i] = rowptr[i];
  }
  for (int32_t j = 0; j < c->n; j++) {
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t q = next[A->row[p]]++;
      c->own_column[q] = j;
      c->own_value[q] = A->value[p];
    }
  }
}

// Rows from .. to-1 are a block. Sets mark[k] = block for the colours k of earlier blocks it
// touches.
static void mark_colours(const coloured *c, const int32_t *ptr, const int32_t *index, int32_t from,
                         int32_t to) {
  const int32_t block = from/BLOCK_ROWS;
  for (int32_t p = ptr[from]; p < ptr[to]; p++) {
    const int32_t other = index[p]/BLOCK_ROWS;
    if (other < block) c->mark[c->colour[other]] = block;
  }
}

// Gives each block the smallest colour that no earlier touching block has, then sorts by colour.
static void choose_colours(coloured *c, const perp_csc *A) {
  for (int32_t k = 0; k < c->blocks; k++) c->mark[k] = -1;
  c->colours = 0;
  for (int32_t k = 0; k < c->blocks; k++) {
    const int32_t from = k*BLOCK_ROWS, to = c->n - from < BLOCK_ROWS ? c->n : from + BLOCK_ROWS;
    mark_colours(c, A->colptr, A->row, from, to);
    if (c->column != A->row) mark_colours(c, c->rowptr, c->column, from, to);
    int32_t colour = 0;
    while (c->mark[colour] == k) colour++;
    c->colour[k] = colour;
    if (colour == c->colours) c->colours++;
  }
  memset(c->start, 0, ((size_t)c->blocks + 1)*sizeof *c->start);
  for (int32_t k = 0; k < c->blocks; k++) c->start[c->colour[k] + 1]++;
  for (int32_t colour = 0; colour < c->colours; colour++) {
    c->start[colour + 1] += c->start[colour];
    c->mark[colour] = c->start[colour];
  }
  for (int32_t k = 0; k < c->blocks; k++) c->order[c->mark[c->colour[k]]++] = k;
}

coloured *coloured_plan(arena *memory, const perp_operator *A) {
  const perp_view view = operator_view(A);
  if (!coloured_accepts(&view)) return NULL;
  const perp_csc *matrix = view.data;
  const size_t before = memory->used;
  coloured *c;
  if (!lay_out(memory, &c, matrix->columns, matrix->colptr[matrix->columns])) {
    memory->used = before;
    return NULL;
  }
  if (csc_is_symmetric(matrix, c->mark)) {
    c->rowptr = matrix->colptr;
    c->column = matrix->row;
    c->value = matrix->value;
  } else {
    copy_by_rows(c, matrix);
    c->rowptr = c->own_rowptr;
    c->column = c->own_column;
    c->value = c->own_value;
  }
  choose_colours(c, matrix);
  return c;
}

// Relaxes rows from .. to-1, or to-1 .. from. The term of the row relaxed just before is added
// last, from a register, so a row waits for the one before only with a product, a sum and the
// relaxation. plain = 1: the bounds are 0 <= x only. Returns the largest change.
static inline double sweep_rows(const coloured *c, const perp_sweep *state, int32_t from,
                                int32_t to, int backward, int plain) {
  const int32_t *rowptr = c->rowptr, *column = c->column;
  const double *value = c->value, *step = c->step, *b = state->b, *weight = state->weight;
  // Volatile, because compilers turn a maximum with the constant 0 into an unpredictable branch.
  const volatile double zero = 0.0;
  const double lowest = zero;
  double *x = state->x, change = 0.0, recent_x = 0.0;
  int32_t recent = -1;
  for (int32_t k = from; k < to; k++) {
    const int32_t i = backward ? to - 1 - (k - from) : k;
    const int32_t end = rowptr[i + 1];
    const double old = x[i];
    double y = b[i], a = 0.0;                            // a = A_{i,recent}
    for (int32_t p = rowptr[i]; p < end; p++) {
      if (column[p] == recent) a = value[p];
      else y += value[p]*x[column[p]];
    }
    y += a*recent_x;
    const double lo = plain ? lowest : lower(state->lo, i);
    const double hi = plain ? (double)INFINITY : upper(state->hi, i);
    double z = max2(lo, old - step[i]*y);
    if (!plain) z = min2(hi, z);
    if (!(step[i] > 0.0)) z = relaxed(old, y, state->diagonal[i], state->omega, lo, hi);
    x[i] = z;
    recent = i;
    recent_x = z;
    const double size = weight[i]*fabs(z - old);
    if (size > change || size != size) change = size;    // a NaN stays
  }
  return change;
}

static double sweep_block(const coloured *c, const perp_sweep *state, int32_t block) {
  const int32_t from = block*BLOCK_ROWS, to = c->n - from < BLOCK_ROWS ? c->n : from + BLOCK_ROWS;
  if (state->lo == NULL && state->hi == NULL)
    return state->backward ? sweep_rows(c, state, from, to, 1, 1)
                           : sweep_rows(c, state, from, to, 0, 1);
  return state->backward ? sweep_rows(c, state, from, to, 1, 0)
                         : sweep_rows(c, state, from, to, 0, 0);
}

static void run_task(void *data, int32_t index) {
  const pass *p = data;
  const int32_t first = index*TASK_BLOCKS;
  const int32_t last = p->count - first < TASK_BLOCKS ? p->count : first + TASK_BLOCKS;
  double change = 0.0;
  for (int32_t k = first; k < last; k++) {
    const double size = sweep_block(p->plan, p->state, p->order[k]);
    if (size > change || size != size) change = size;
  }
  p->plan->change[index] = change;
}

static void make_steps(coloured *c, const perp_sweep *state) {
  for (int32_t i = 0; i < c->n; i++) {
    const double s = state->omega/state->diagonal[i];
    c->step[i] = state->diagonal[i] > 0.0 && s < (double)INFINITY ? s : 0.0;
  }
  c->step_diagonal = state->diagonal;
  c->step_omega = state->omega;
}

void coloured_sweep(coloured *plan, perp_sweep *state, team *threads) {
  if (state->fresh || plan->step_diagonal != state->diagonal || plan->step_omega != state->omega)
    make_steps(plan, state);
  state->fresh = 0;
  double change = 0.0;
  for (int32_t k = 0; k < plan->colours; k++) {
    const int32_t colour = state->backward ? plan->colours - 1 - k : k;
    const int32_t first = plan->start[colour], count = plan->start[colour + 1] - first;
    pass p = {.plan = plan, .state = state, .order = plan->order + first, .count = count};
    const int32_t tasks = (count - 1)/TASK_BLOCKS + 1;
    team_run(threads, run_task, &p, tasks);
    for (int32_t t = 0; t < tasks; t++)
      if (plan->change[t] > change || plan->change[t] != plan->change[t]) change = plan->change[t];
  }
  state->change = max2(state->change, change/state->omega);
}
