// grid_parts.h: the layout of a level in memory, shared by the files of grid_levels.
//
// Cells are red or black like a chessboard. The two colours of a line are stored apart, so that a
// sweep over one colour reads and writes whole vectors. Cell i of line (j, k) has the colour
// c = (i + j + k)%2 and the number i/2 in its colour's half of the line. All its neighbours have
// the other colour. Neighbours in other lines have the same number; neighbours in its own line have
// the numbers i/2 - 1 + s and i/2 + s, with s = (j + k + c)%2. A block is 8 cells of each colour,
// 16 successive cells of a line. Sweeps skip blocks without a free cell, and read no weights in
// blocks where all weights are the same.
#ifndef PERP_GRID_PARTS_H
#define PERP_GRID_PARTS_H

#include "grid_levels.h"

enum grid_shape {
  GRID_LEVELS_MAX = 32,             // levels; n is below 2^31 and at least halves
  GRID_LANES = 8,                   // cells of a colour in a block: one `eight`
  GRID_BLOCK = 2*GRID_LANES,        // cells in a block
  GRID_WAVE = 5                     // stages of one side of the cycle
};
enum {
  // Cells of the last level, which is solved directly. With 1, liquids take 1.07 times the work.
  GRID_DIRECT_CELLS_MAX = 64,
  GRID_CACHE_CELLS_MAX = 1 << 18,   // cells; a larger level is not in the cache and is prefetched
  GRID_PREFETCH_NUMBERS = 512,      // numbers are prefetched this far ahead: about the next lines
  // Blocks of a run. It limits the length of sums in single precision. With 1, liquids take 1.09
  // times the work.
  GRID_RUN_BLOCKS_MAX = 512,
};

// Kinds of blocks. EMPTY: no free cell. GENERAL: any weights. UNIFORM: all cells are free and all
// weights are the unit. SAME: weights between free cells are the unit, diagonals are arbitrary;
// other weights do not matter, because z is 0 behind them.
enum grid_block_kind { GRID_EMPTY, GRID_GENERAL, GRID_UNIFORM, GRID_SAME };

typedef struct grid_level {
  int32_t cells[3];          // cells in the caller's directions
  int32_t side[3];           // the same, but directions with one cell come last
  int32_t axis[3];           // the caller's direction of each of `side`
  int32_t halved[3];         // 1: the next level halves this direction of `side`
  double size[3];            // size of a cell, in the directions of `side`
  int32_t n, deep;           // cells; 1: three dimensions
  int32_t plane;             // lines of a plane, including those around the grid: side[1] + 2
  int32_t rows;              // lines, including those around the grid
  int32_t pitch;             // numbers of a colour from one line to the next
  int32_t blocks;            // blocks of a line
  size_t area;               // numbers of a colour, at least rows*pitch; black follows red
  float unit[3];             // "the unit": weight of a whole face in each direction
  float centre, centre_inverse;   // the diagonal if all weights are units
  int32_t mode;              // 0: not masked yet, 1: by the caller, 2: by a finer level
  int32_t below;             // 1: the coarser levels belong to this mask

  const uint8_t *type;       // n: perp_cell, without the mask
  uint8_t *own_type;         // n: memory of `type`; not on level 0, where it is the caller's
  uint8_t *state;            // n: LIQUID: free, AIR: held at 0, SOLID: absent
  float *weight[3], *leak;   // 2*area: weights to the next cell of each direction, and to air
  float *masked[3], *spill;  // 2*area: the same for a mask of a finer level; not on level 0
  float *w[3], *out;         // 2*area: the ones in use: weight and leak, or masked and spill
                             //   (weights along directions of one cell are 0 or never read)
  float *d, *inverse;        // 2*area: the diagonal and its inverse; 0 if not free
  float *r, *z, *p, *q;      // 2*area: right-hand side, answer, p and q of conjugate gradients
  float *across;             // rows x pitch: residuals of red cells, for the next level
  float *whole;              // the next level's rows x whole_pitch: its z in the order of cells
  float *tie[3];             // as `whole`: the share between a parent and the next one along d
  int32_t whole_pitch;
  uint16_t *run;             // rows x blocks: 4*(blocks of the same kind from here on) + kind
  uint8_t *even;             // rows x blocks. Level 0: 1: all cells are liquid, all weights units;
                             //   2: all weights between liquid cells are units. Coarser levels: 1:
                             //   uniform; during a mask GRID_SURELY_EVEN: known to be uniform
  uint8_t *busy;             // rows: 1: a cell is free; 3: and a block is GRID_GENERAL
  uint8_t *near;             // rows: 1: a cell is free here or in the lines around
  uint8_t *touched;          // side[1]*side[2] used: 1: the mask has changed in this line
  uint8_t *dirty;            // n: 1: compute the cell again, see grid_coarse_lines; not on level 0
  double *sums;              // rows x 2: a line's sums in a pass; added up in the order of lines
  int32_t parts;             // parts for threads: slabs part[k] .. part[k + 1] - 1
  int32_t *part;             // parts + 1
  int32_t stale;             // lines that have changed since the parts were chosen
} grid_level;

struct grid_levels {
  perp_allocator allocator;
  void *block;
  team *threads;
  perp_grid grid;            // the caller's; its arrays are not copied
  int32_t levels, threads_count;
  size_t bytes;
  double scale;              // power of two: weights of level 0 are those of A times this
  grid_level at[GRID_LEVELS_MAX];
  double *lines;             // a line of numbers for each part
  size_t line_length;
  int32_t *label;            // n: closed components, see grid_levels_closed
  int32_t *held, *size;      // n/2 + 1 each: cells of a component that are not free; all its cells
  int32_t closed, many;      // closed components; the first `many` have two cells or more
  double *mean;              // n/2 + 1: means over these components
  double guess;              // the last scale of a right-hand side; 0: none yet
  struct {                   // state at the end of the last solve, for grid_levels_go_on
    int32_t level;           // r of this level is the scaled residual; -1: no residual is known
    int aligned;             // 1: p and q are valid, because nothing has changed since
    // Scale of r; scaled |r|^2 now and at the end of the solve; scaled largest entry.
    double scale, sum, before_changes, most;
    double replaced, step, before;             // as in grid_solve.c
  } last;
  int32_t dense;             // number of free cells of the last level
  int32_t *dense_at;         // their places
  double *factor, *right;    // dense x dense, dense
};

// Number of line (j, k); index of cell (i, j, k) in the order of cells, and in arrays by colour.
static inline int32_t grid_row(const grid_level *l, int32_t j, int32_t k) {
  return (k + l->deep)*l->plane + j + 1;
}
static inline int32_t grid_cell(const grid_level *l, int32_t i, int32_t j, int32_t k) {
  return (k*l->side[1] + j)*l->side[0] + i;
}
static inline size_t grid_split(const grid_level *l, int32_t i, int32_t j, int32_t k) {
  return (size_t)((i + j + k) & 1)*l->area + (size_t)grid_row(l, j, k)*(size_t)l->pitch +
         (size_t)(i >> 1);
}
// s of a line and colour: the neighbours of number m in its own line are m - 1 + s and m + s.
static inline int32_t grid_shift(int32_t j, int32_t k, int32_t colour) {
  return (j + k + colour) & 1;
}

// A task for the lines of a level, run by several threads.
typedef struct grid_job {
  grid_levels *g;
  grid_level *l;
  const uint8_t *is_free;
  int32_t all;               // 1: every cell is computed again
} grid_job;
void grid_lines_run(grid_job *w, team_ranged task);

static inline int32_t grid_block_end(const grid_level *l, int32_t i) {   // of the block from i on
  return i + GRID_BLOCK < l->side[0] ? i + GRID_BLOCK : l->side[0];
}
static inline int grid_is_inner(const grid_level *l, int32_t j, int32_t k) {   // not at the edge
  return (l->side[1] == 1 || (j > 0 && j + 1 < l->side[1])) &&
         (!l->deep || (k > 0 && k + 1 < l->side[2]));
}
static inline int grid_all_are(const uint8_t *v, uint8_t what) {   // GRID_BLOCK cells
  unsigned differs = 0;
  for (int32_t t = 0; t < GRID_BLOCK; t++) differs |= (unsigned)(v[t] ^ what);
  return differs == 0;
}
static inline int grid_any_is(const uint8_t *v, int32_t count, uint8_t what) {
  int found = 0;
  for (int32_t t = 0; t < count; t++) found |= v[t] == what;
  return found;
}

// Sets GRID_BLOCK cells from i on. There is room beyond the end of a line.
static inline void grid_fill_block(const grid_level *l, float *v, float value, int32_t i,
                                   int32_t j, int32_t k) {
  float *red = v + grid_split(l, i, j, k), *black = v + grid_split(l, i + 1, j, k);
  for (int32_t t = 0; t < GRID_LANES; t++) red[t] = black[t] = value;
}

// grid_weights.c
void grid_fill_levels(grid_levels *g);               // sets all weights and types from g->grid
// Computes the weights and states of the marked cells of a level (job: a grid_job). Sets `dirty` to
// 2 if they have changed, else to 1. For eight cells it may set only the first: GRID_INNER_EIGHT if
// all their weights are units, GRID_EMPTY_EIGHT if none of them is free.
enum grid_cell_mark { GRID_INNER_EIGHT = 3, GRID_EMPTY_EIGHT = 4, GRID_SURELY_EVEN = 3 };
void grid_coarse_lines(void *job, int32_t from, int32_t to);
// 1: for the 16 cells from i on, all weights between cells that are liquid in v are units.
int grid_is_same(const grid_level *l, float *const w[3], const uint8_t *v, int32_t i, int32_t j,
                 int32_t k);

// grid_vector.c: line (j, k) of A x with the matrix of the level, in double precision
void grid_multiply_line(const grid_levels *g, const grid_level *l, int32_t j, int32_t k,
                        const double *x, double *y);

// grid_closed.c
void grid_find_closed(grid_levels *g);   // reads the weights of level 0; overwrites its p and q
void grid_count_held(grid_levels *g);
// Sets g->mean to the means of v over the components all of whose cells are free, and to 0 for
// other components. Returns 0 if there is no such component.
int grid_means(grid_levels *g, int32_t level, const double *v);
static inline double grid_mean_at(const grid_levels *g, const grid_level *l, int32_t cell) {
  if (l->state[cell] != PERP_CELL_LIQUID) return 0.0;
  if (l != &g->at[0]) return g->mean[0];
  return g->label[cell] >= 0 ? g->mean[g->label[cell]] : 0.0;
}

// Index of cell (0, j, k) of the next level in the arrays `whole` and `tie` of level l.
static inline size_t grid_whole(const grid_level *l, int32_t j, int32_t k) {
  return (size_t)grid_row(l + 1, j, k)*(size_t)l->whole_pitch + GRID_LANES;
}

// grid_pass.c: passes over a level
typedef enum grid_stage {
  GRID_LOAD,       // r <- scale*(from_r - A from_z) on free cells (from_z may be NULL);
                   //                                            sums: |r|^2, max |r|
  GRID_FIRST,      // z of red cells <- r/d: GRID_RED if z = 0
  GRID_RED, GRID_BLACK,   // z of a colour <- the solution of its equations
  GRID_RESIDUAL,   // across <- residuals of red cells; those of black cells are 0
  GRID_CORRECT,    // z of red cells += that of the next level
  GRID_STORE,      // to_z <- scale*z on free cells
  GRID_DOTS,       //                                            sums: z'r, z'q
  GRID_TURN,       // p <- z + turn*p
  GRID_APPLY,      // q <- A p on free cells;                    sums: p'q
  GRID_STEP,       // to_z += scale*p (fresh: <-), r -= step*q;  sums: |r|^2, max |r|
  GRID_GATHER,     // r of this level <- from `across` of the finer level
  GRID_WHOLE,      // `whole` of the finer level <- z of this level in the order of cells
  GRID_MULTIPLY,   // to_z <- A from_z + from_r (which may be NULL), without the mask
} grid_stage;

// The sides of the cycle, whose stages grid_wave.c does at once. Down: FIRST, BLACK, RED, BLACK,
// RESIDUAL. Up: CORRECT, BLACK, RED, BLACK, RED.
typedef enum grid_direction { GRID_NO_WAVE, GRID_WAVE_DOWN, GRID_WAVE_UP } grid_direction;

typedef struct grid_pass {
  grid_levels *g;
  grid_level *l;
  const grid_stage *stage;
  int32_t stages;
  grid_direction wave;       // the first GRID_WAVE stages are this side of the cycle
  double scale;
  float turn, step;
  int fresh, centred;        // fresh: see GRID_STEP; centred: subtract g->mean from from_r
  const double *from_r, *from_z;
  double *to_z;
} grid_pass;

void grid_pass_run(grid_pass *pass);
void grid_pass_sums(const grid_level *l, double *sum, double *most_or_sum, int is_most);

// grid_wave.c: runs the stages s = 0 .. GRID_WAVE - 1 of a pass at slab `slab` - s, on lines from
// `from` on. Returns the first line that cannot be done in this way, or `to`.
int32_t grid_wave(const grid_level *l, int32_t slab, int32_t from, int32_t to, int up);
// 1: in one of the slabs, the line has a GRID_GENERAL block, so the stages must be done one by one.
static inline int grid_is_apart(const grid_level *l, int32_t slab, int32_t line) {
  const int32_t step = l->deep ? l->plane : 1;
  const uint8_t *busy = l->busy + (l->deep ? grid_row(l, line, slab) : grid_row(l, slab, 0));
  return ((busy[0] | busy[-step] | busy[-2*step] | busy[-3*step] | busy[-4*step]) & 2) != 0;
}

// grid_cycle.c
void grid_cycle(grid_levels *g, int32_t from, int dots);   // l->z ~ A^-1 l->r on level `from`
void grid_factor(grid_levels *g);                          // factors the last level

#endif
