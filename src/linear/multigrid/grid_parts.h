// grid_parts.h: the layout of a level in memory, shared by the files of grid_levels.
//
// Cells are red or black like a chessboard. The two colours of a line are stored apart, so that a
// sweep over one colour reads and writes whole vectors: in line (j, k) cell i has the colour
// c = (i + j + k)%2 and is number i/2 of its line. All its neighbours have the other colour. Those
// in the lines around it have the same number; those in its own line have the numbers i/2 - 1 + s
// and i/2 + s, with s = (j + k + c)%2. A block is 8 cells of each colour, 16 of a line. Blocks
// without a free cell are skipped; blocks whose weights are all the same read none.
#ifndef PERP_GRID_PARTS_H
#define PERP_GRID_PARTS_H

#include "grid_levels.h"

enum {
  GRID_LEVELS_MAX = 32,             // levels; n is below 2^31 and at least halves
  GRID_DIRECT_CELLS_MAX = 64,       // cells of the last level, which is solved directly
  GRID_LANES = 8,                   // cells of a colour in a block
  GRID_BLOCK = 16,                  // cells in a block
  GRID_WAVE = 5,                    // stages of one side of the cycle
  GRID_CACHE_CELLS_MAX = 1 << 18,   // cells; a larger level comes from memory and is prefetched
  GRID_PREFETCH_NUMBERS = 512,      // numbers ahead of their use: about the next lines
  GRID_RUN_BLOCKS_MAX = 512,        // blocks; limits the length of sums in single precision
};

// Kinds of blocks. EMPTY: no free cell. GENERAL: any weights. UNIFORM: all cells are free and all
// weights 1. SAME: weights between free cells are 1, diagonals are arbitrary; sweeps ignore the
// other weights, because z is 0 there.
enum { GRID_EMPTY = 0, GRID_GENERAL = 1, GRID_UNIFORM = 2, GRID_SAME = 3 };

typedef struct grid_level {
  int32_t cells[3];          // as the caller sees them
  // Without directions of one cell, in the caller's order; 1 if there are fewer.
  int32_t side[3];
  int32_t axis[3];           // the caller's direction of each of `side`
  int32_t halved[3];         // 1: the next level halves this direction of `side`
  double size[3];            // of a cell, in the directions of `side`
  int32_t n, deep;           // cells; 1: three dimensions
  int32_t plane;             // lines from one plane to the next: side[1] + 2
  int32_t rows;              // lines, including those around the grid
  int32_t pitch;             // numbers of a colour from one line to the next
  int32_t blocks;            // in a line
  size_t area;               // rows*pitch: from red to black
  float unit[3];             // the weight of a face of the whole area
  float centre, centre_inverse;   // the diagonal where all weights are units
  int32_t mode;              // 0: not masked yet, 1: by the caller, 2: by a finer level
  int32_t below;             // 1: the coarser levels follow this mask

  const uint8_t *type;       // n: perp_cell, without the mask
  uint8_t *own_type;         // n: the same except on level 0, where the caller owns it
  uint8_t *state;            // n: LIQUID: free, AIR: held at 0, SOLID: absent
  float *weight[3], *leak;   // 2*area: to the next cell of each direction, to air
  float *masked[3], *spill;  // 2*area: the same below a mask; not on level 0
  float *w[3], *out;         // 2*area: the ones in use
                             //   (weights along directions of one cell are 0 or never read)
  float *d, *inverse;        // 2*area: the diagonal and its inverse; 0 if not free
  float *r, *z, *p, *q;      // 2*area: right-hand side, answer, p and q of conjugate gradients
  float *across;             // rows x pitch: residuals of red cells, for the next level
  float *whole;              // the next level's rows x whole_pitch: its z in the order of cells
  float *tie[3];             // the same: share that its cells take from the next one along d
  int32_t whole_pitch;
  // Rows x blocks: 4*(number of blocks of the same kind from here) + kind.
  uint16_t *run;
  uint8_t *even;             // rows x blocks: 1: all cells are liquid and all weights 1; 2: all
                             //   weights between liquid cells are 1; below level 0: 1 if uniform,
                             //   and GRID_SURELY_EVEN if a mask in progress knows that
  uint8_t *busy;             // rows: 1: a cell is free; 3: and a block is GRID_GENERAL
  uint8_t *near;             // rows: 1: a cell is free here or in the lines around
  uint8_t *touched;          // side[1]*side[2]: 1: the mask has changed in this line
  uint8_t *dirty;            // n: to be computed again, see grid_coarse_lines; not on level 0
  double *sums;              // rows x 2: sums of a pass, added in the order of lines
  int32_t parts;             // for threads: slabs part[k] .. part[k + 1] - 1
  int32_t *part;             // parts + 1
  int32_t stale;             // lines that have changed since the parts were chosen
} grid_level;

struct grid_levels {
  perp_allocator allocator;
  void *block;
  team *threads;
  perp_grid grid;            // as given, by reference
  int32_t levels, threads_count;
  size_t bytes;
  double scale;              // power of two: weights of the levels are those of A times this
  grid_level at[GRID_LEVELS_MAX];
  double *lines;             // a line of numbers for each part
  size_t line_length;
  int32_t *label;            // n: closed components, see grid_levels_closed. The first `many` have
  int32_t *held, *size;      //   two cells or more: numbers of cells not free, and of all cells
  int32_t closed, many;      //   (n/2 + 1 each)
  double *mean;              // n/2 + 1
  double guess;              // the last scale of a right-hand side; 0: none yet
  struct {                   // the end of the last solve, for grid_levels_go_on
    int32_t level;           // r of this level is the residual; -1: there is none
    int aligned;             // 1: p and q are valid, because nothing has changed since
    // Of r: its scale, |r|^2 scaled, the same before changes, its largest entry.
    double scale, sum, before_changes, most;
    double replaced, step, before;             // as in grid_solve.c
  } last;
  int32_t dense;             // free cells of the last level
  int32_t *dense_at;         // places of the free cells
  double *factor, *right;    // dense x dense, dense
};

// Line (j, k); cell (i, j, k) in the order of cells, and in arrays split by colour.
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
// From a cell of this colour to its neighbours' numbers.
static inline int32_t grid_shift(int32_t j, int32_t k, int32_t colour) {
  return (j + k + colour) & 1;
}

// A pass over lines of a level by several threads.
typedef struct grid_job {
  grid_levels *g;
  grid_level *l;
  const uint8_t *is_free;
  int32_t all;               // all: every cell is computed again
} grid_job;
void grid_lines_run(grid_job *w, team_ranged task);

static inline int32_t grid_block_end(const grid_level *l, int32_t i) {   // of cells from i on
  return i + GRID_BLOCK < l->side[0] ? i + GRID_BLOCK : l->side[0];
}
static inline int grid_is_inner(const grid_level *l, int32_t j, int32_t k) {   // not at the edge
  return (l->side[1] == 1 || (j > 0 && j + 1 < l->side[1])) &&
         (!l->deep || (k > 0 && k + 1 < l->side[2]));
}
static inline int grid_all_are(const uint8_t *v, uint8_t what) {   // GRID_BLOCK of them
  unsigned differs = 0;
  for (int32_t t = 0; t < GRID_BLOCK; t++) differs |= (unsigned)(v[t] ^ what);
  return differs == 0;
}
static inline int grid_any_is(const uint8_t *v, int32_t count, uint8_t what) {
  int found = 0;
  for (int32_t t = 0; t < count; t++) found |= v[t] == what;
  return found;
}

// Sets sixteen cells from i on. There is room beyond the end of a line.
static inline void grid_fill_block(const grid_level *l, float *v, float value, int32_t i,
                                   int32_t j, int32_t k) {
  float *red = v + grid_split(l, i, j, k), *black = v + grid_split(l, i + 1, j, k);
  for (int32_t t = 0; t < GRID_LANES; t++) red[t] = black[t] = value;
}

// grid_weights.c
void grid_fill_levels(grid_levels *g);               // all weights and types, from g->grid
// A job: computes the weights and states of the marked cells of a level. `dirty` is then 1, or 2 if
// they have changed. In the first of eight cells it may be GRID_INNER_EIGHT, if all their weights
// are the unit, or GRID_EMPTY_EIGHT, if none is free.
enum { GRID_INNER_EIGHT = 3, GRID_EMPTY_EIGHT = 4, GRID_SURELY_EVEN = 3 };
void grid_coarse_lines(void *job, int32_t from, int32_t to);
// 1: all weights between cells that are liquid in v, of the 16 from i on, are the unit.
int grid_is_same(const grid_level *l, float *const w[3], const uint8_t *v, int32_t i, int32_t j,
                 int32_t k);

// grid_vector.c: line (j, k) of A x with the matrix of the level, in double precision
void grid_multiply_line(const grid_levels *g, const grid_level *l, int32_t j, int32_t k,
                        const double *x, double *y);

// grid_closed.c
void grid_find_closed(grid_levels *g);               // from the weights of level 0; uses p and q
void grid_count_held(grid_levels *g);
// Writes the means of v over the components that are free as a whole into g->mean (0 for others).
// Returns 0 if there is none.
int grid_means(grid_levels *g, int32_t level, const double *v);
static inline double grid_mean_at(const grid_levels *g, const grid_level *l, int32_t cell) {
  if (l->state[cell] != PERP_CELL_LIQUID) return 0.0;
  if (l != &g->at[0]) return g->mean[0];
  return g->label[cell] >= 0 ? g->mean[g->label[cell]] : 0.0;
}

// Cell (0, j, k) of the next level in arrays `whole` and `tie` of level l.
static inline size_t grid_whole(const grid_level *l, int32_t j, int32_t k) {
  return (size_t)grid_row(l + 1, j, k)*(size_t)l->whole_pitch + GRID_LANES;
}

// grid_pass.c: passes over a level
typedef enum grid_stage {
  GRID_LOAD,       // r <- scale*(from_r - A from_z) on free cells (from_z may be NULL);
                   //                                            sums: |r|^2, max |r|
  GRID_FIRST,      // z of red cells <- r/d: a sweep from z = 0
  GRID_RED, GRID_BLACK,   // z of a colour <- the solution of its equations
  GRID_RESIDUAL,   // of red cells into `across`; those of black cells are 0
  GRID_CORRECT,    // z of red cells += that of the next level
  GRID_STORE,      // to_z <- scale*z on free cells
  GRID_DOTS,       //                                            sums: z'r, z'q
  GRID_TURN,       // p <- z + turn*p
  GRID_APPLY,      // q <- A p on free cells;                    sums: p'q
  GRID_STEP,       // to_z += scale*p (fresh: <-), r -= step*q;  sums: |r|^2, max |r|
  GRID_GATHER,     // r of this level <- from `across` of the finer level
  GRID_WHOLE,      // z in the order of cells into `whole` of the finer level
  GRID_MULTIPLY,   // to_z <- A from_z + from_r (which may be NULL), without the mask
} grid_stage;

// Stages that grid_wave.c does together. Down: FIRST, BLACK, RED, BLACK, RESIDUAL. Up: CORRECT,
// BLACK, RED, BLACK, RED.
typedef enum grid_direction { GRID_NO_WAVE, GRID_WAVE_DOWN, GRID_WAVE_UP } grid_direction;

typedef struct grid_pass {
  grid_levels *g;
  grid_level *l;
  const grid_stage *stage;
  int32_t stages;
  grid_direction wave;       // the first GRID_WAVE stages are those of one side of the cycle
  double scale;
  float turn, step;
  int fresh, centred;        // centred: g->mean is subtracted from from_r
  const double *from_r, *from_z;
  double *to_z;
} grid_pass;

void grid_pass_run(grid_pass *pass);
void grid_pass_sums(const grid_level *l, double *sum, double *most_or_sum, int is_most);

// grid_wave.c: stages s = 0 .. GRID_WAVE - 1 of a pass at slab `slab` - s, in lines from `from` on,
// as long as they can be computed together. Returns the first line that cannot, or `to`.
int32_t grid_wave(const grid_level *l, int32_t slab, int32_t from, int32_t to, int up);
// 1: a line of these slabs has weights of its own, so the stages must be done one by one.
static inline int grid_is_apart(const grid_level *l, int32_t slab, int32_t line) {
  const int32_t step = l->deep ? l->plane : 1;
  const uint8_t *busy = l->busy + (l->deep ? grid_row(l, line, slab) : grid_row(l, slab, 0));
  return ((busy[0] | busy[-step] | busy[-2*step] | busy[-3*step] | busy[-4*step]) & 2) != 0;
}

// grid_cycle.c
void grid_cycle(grid_levels *g, int32_t from, int dots);   // l->r into l->z
void grid_factor(grid_levels *g);                          // the last level

#endif
