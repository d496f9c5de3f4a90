// grid_parts.h: what the files of grid_levels share: how a level lies in memory.
//
// Cells are red or black like a chessboard, and the two colours of a line lie apart, so that a
// sweep over one colour reads and writes whole vectors: in line (j, k) cell i of the colour
// c = (i + j + k)%2 is number i/2 of its line. All its neighbours have the other colour: those of
// the lines around it the same number, those in its own line the numbers i/2 - 1 + s and i/2 + s,
// s = (j + k + c)%2. A block is 8 cells of each colour, 16 of a line. Blocks without a free cell
// are not visited; blocks whose weights are all the same read none.
#ifndef PERP_GRID_PARTS_H
#define PERP_GRID_PARTS_H

#include "grid_levels.h"

enum {
  GRID_MOST_LEVELS = 32,
  GRID_DENSE = 64,           // cells of the last level: it is solved directly
  GRID_LANES = 8,            // cells of a colour in a block
  GRID_BLOCK = 16,           // cells in a block
  GRID_WAVE = 5,             // stages of one side of the cycle
  GRID_FAR = 1 << 18,        // cells of a level from which on it comes from memory,
  GRID_AHEAD = 512,          //   and numbers by which that is asked for ahead: into the next lines
  GRID_LONGEST_RUN = 512,    // blocks: sums in single precision are not longer than that
};

// Kinds of blocks: no free cell; any weights; all cells free and all weights 1; weights between
// free cells 1 (others do not matter to sweeps, as z is 0 there), diagonals any.
enum { GRID_EMPTY = 0, GRID_GENERAL = 1, GRID_UNIFORM = 2, GRID_SAME = 3 };

typedef struct grid_level {
  int32_t cells[3];          // as the caller sees them
  int32_t side[3];           // without directions of one cell, in this order; 1 if there are fewer
  int32_t axis[3];           // the caller's direction of each of `side`
  int32_t halved[3];         // by the next level; in the directions of `side`
  double size[3];            // of a cell, in the directions of `side`
  int32_t n, deep;           // cells; 1: three dimensions
  int32_t plane;             // lines from one plane to the next: side[1] + 2
  int32_t rows;              // lines with those around the grid
  int32_t pitch;             // numbers of a colour from one line to the next
  int32_t blocks;            // in a line
  size_t area;               // rows*pitch: from red to black
  float unit[3];             // the weight of a face of the whole area
  float centre, centre_inverse;   // the diagonal where all weights are units
  int32_t mode;              // 0: not masked yet, 1: by the caller, 2: by a finer level
  int32_t below;             // 1: the coarser levels follow this mask

  const uint8_t *type;       // n: perp_cell, whatever the mask
  uint8_t *own_type;         // n: the same but on level 0, where it is the caller's
  uint8_t *state;            // n: LIQUID: free, AIR: held at 0, SOLID: not there
  float *weight[3], *leak;   // 2*area: to the next cell of each direction, to air
  float *masked[3], *spill;  // 2*area: the same below a mask; not on level 0
  float *w[3], *out;         // 2*area: which of both is in use
                             //   (weights along directions of one cell are 0 or never read)
  float *d, *inverse;        // 2*area: the diagonal and its inverse, 0 where not free
  float *r, *z, *p, *q;      // 2*area: right side, answer, of the conjugate gradients
  float *across;             // rows x pitch: residuals of red cells, for the next level
  float *whole;              // the next level's rows x whole_pitch: its z in the order of cells
  float *tie[3];             // the same: by how much its cells share with the next one along d
  int32_t whole_pitch;
  uint16_t *run;             // rows x blocks: 4*(blocks with the same kind from here) + kind
  uint8_t *even;             // rows x blocks: 1: all cells liquid, all weights 1; 2: all weights
                             //   between liquid cells are; below level 0: 1 if uniform, and
                             //   while a mask is made GRID_SURELY_EVEN where that is known
  uint8_t *busy;             // rows: 1: a cell is free; 3: and a block is GRID_GENERAL
  uint8_t *near;             // rows: 1: here or in the lines around
  uint8_t *touched;          // side[1]*side[2]: 1: the mask has changed in this line
  uint8_t *dirty;            // n: to be computed again, see grid_coarse_lines; not on level 0
  double *sums;              // rows x 2: of a pass, added in the order of lines
  int32_t parts;             // for threads: slabs part[k] .. part[k + 1] - 1
  int32_t *part;             // parts + 1
  int32_t stale;             // lines that have changed since
} grid_level;

struct grid_levels {
  perp_allocator allocator;
  void *block;
  team *threads;
  perp_grid grid;            // as given, by reference
  int32_t levels, threads_count;
  size_t bytes;
  double scale;              // power of two: weights of the levels are those of A times this
  grid_level at[GRID_MOST_LEVELS];
  double *lines;             // a line of numbers for each part
  size_t line_length;
  int32_t *label;            // n: closed components, see grid_levels_closed; the first `many` have
  int32_t *held, *size;      //   two cells or more: how many are not free, and how many there are
  int32_t closed, many;      // n/2 + 1 each
  double *mean;              // n/2 + 1
  double guess;              // the last scale of a right side, 0: none yet
  struct {                   // where the last solve has ended, for grid_levels_go_on
    int32_t level;           // r of this level is its residual; -1: of none
    int aligned;             // p and q fit: nothing has changed since
    double scale, sum, before_changes, most;   // of r: |r|^2, scaled; its largest entry
    double replaced, step, before;             // as in grid_solve.c
  } last;
  int32_t dense;             // free cells of the last level
  int32_t *dense_at;         // where they are
  double *factor, *right;    // dense x dense, dense
};

// (j, k) as a line; cell (i, j, k) in the order of cells, and in arrays split by colour
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
// from a cell of this colour to its neighbours' numbers
static inline int32_t grid_shift(int32_t j, int32_t k, int32_t colour) {
  return (j + k + colour) & 1;
}

// One pass over lines of a level by several threads.
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

// Sixteen cells from i on; beyond the end of a line there is room.
static inline void grid_fill_block(const grid_level *l, float *v, float value, int32_t i,
                                   int32_t j, int32_t k) {
  float *red = v + grid_split(l, i, j, k), *black = v + grid_split(l, i + 1, j, k);
  for (int32_t t = 0; t < GRID_LANES; t++) red[t] = black[t] = value;
}

// grid_weights.c
void grid_fill_levels(grid_levels *g);               // all weights and types, from g->grid
// Weights and states of the cells of a level that are to be computed again: a job. `dirty` is then
// 1, or 2 where they have changed; or in the first of eight cells GRID_INNER_EIGHT, where all their
// weights are the unit, or GRID_EMPTY_EIGHT, where none is free.
enum { GRID_INNER_EIGHT = 3, GRID_EMPTY_EIGHT = 4, GRID_SURELY_EVEN = 3 };
void grid_coarse_lines(void *job, int32_t from, int32_t to);
// 1: no weight between cells that are liquid in v, the 16 from i on and others, is not the unit
int grid_is_same(const grid_level *l, float *const w[3], const uint8_t *v, int32_t i, int32_t j,
                 int32_t k);

// grid_vector.c: line (j, k) of A x with the matrix of the level, in double precision
void grid_multiply_line(const grid_levels *g, const grid_level *l, int32_t j, int32_t k,
                        const double *x, double *y);

// grid_closed.c
void grid_find_closed(grid_levels *g);               // from the weights of level 0; uses p and q
void grid_count_held(grid_levels *g);
// The means of v over such components, into g->mean (0 for others). 0: there is none.
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
  GRID_RED, GRID_BLACK,   // z of a colour <- that which solves its equations
  GRID_RESIDUAL,   // of red cells, those of black ones being 0, into `across`
  GRID_CORRECT,    // z of red cells += that of the next level
  GRID_STORE,      // to_z <- scale*z on free cells
  GRID_DOTS,       //                                            sums: z'r, z'q
  GRID_TURN,       // p <- z + turn*p
  GRID_APPLY,      // q <- A p on free cells;                    sums: p'q
  GRID_STEP,       // to_z += scale*p (fresh: <-), r -= step*q;  sums: |r|^2, max |r|
  GRID_GATHER,     // r of this level <- from `across` of the finer one
  GRID_WHOLE,      // z in the order of cells into `whole` of the finer one
  GRID_MULTIPLY,   // to_z <- A from_z + from_r (which may be NULL), whatever the mask
} grid_stage;

// stages that grid_wave.c does together: FIRST, BLACK, RED, BLACK, RESIDUAL; CORRECT, BLACK, RED,
// BLACK, RED
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

// grid_wave.c: stage s = 0 .. GRID_WAVE - 1 of a pass at slab `slab` - s, in lines from `from` on, as
// long as these can be computed together: returns the first that cannot, or `to`.
int32_t grid_wave(const grid_level *l, int32_t slab, int32_t from, int32_t to, int up);
// 1: a line of these slabs has weights of its own, and the stages are to be done one by one
static inline int grid_is_apart(const grid_level *l, int32_t slab, int32_t line) {
  const int32_t step = l->deep ? l->plane : 1;
  const uint8_t *busy = l->busy + (l->deep ? grid_row(l, line, slab) : grid_row(l, slab, 0));
  return ((busy[0] | busy[-step] | busy[-2*step] | busy[-3*step] | busy[-4*step]) & 2) != 0;
}

// grid_cycle.c
void grid_cycle(grid_levels *g, int32_t from, int dots);   // l->r into l->z
void grid_factor(grid_levels *g);                          // the last level

#endif
