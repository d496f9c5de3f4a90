// float_matrix.c: makes the slices of a float_matrix, and the passes and products with it.
//
// On a grid, the neighbours of eight successive rows of a colour are at eight successive places, a
// run. A run is stored as one number, and loading it needs no index. Entries outside runs of at
// least four are picked one by one. A grid needs two colours; if two are not enough, each row takes
// the first free colour. Most slices of a grid look like the one before, shifted by a slice, so
// this is tried first.
// Cost: a pass or a product reads 4 bytes per entry.
#include "float_matrix.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "eight_floats.h"

enum {
  COLOURS_MAX = 16,                 // colours; a row that needs more is loose
  ROW_ENTRIES_MAX = 24,             // entries of a row; a row with more is loose
  RUN_LANES_MIN = 4,                // lanes of a run; with 1 or 8, up to 1.07 times the work
  LOOSE_COLOUR = COLOURS_MAX,
  SERIAL_SLICES_MAX = 2*PART_SLICES // slices; for fewer, one thread is faster than several
};

float *float_matrix_vector(const float_matrix *s, const perp_allocator *m) {
  const int64_t count = (int64_t)s->length + 2*LANES;
  float *block = allocator_take(m, count, sizeof *block);
  if (block == NULL) return NULL;
  memset(block, 0, (size_t)count*sizeof *block);
  return block + LANES;
}

void float_matrix_release(const perp_allocator *m, float *vector) {
  if (vector != NULL) allocator_drop(m, vector - LANES);
}

void float_matrix_free(float_matrix *s, const perp_allocator *m) {
  void *const blocks[] = {s->first, s->place, s->row, s->slot, s->base, s->pick, s->weight,
                          s->loose_start, s->loose_pick, s->spot, s->inverse, s->sum};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) allocator_drop(m, blocks[k]);
  *s = (float_matrix){0};
}

// Tries two colours, from neighbour to neighbour. colour: n, 0 or 1. queue: n. Returns 1 if
// neighbours always differ and no row is too wide.
static int two_colours(int32_t n, const int32_t *colptr, const int32_t *row, uint8_t *colour,
                       int32_t *queue) {
  int enough = 1;
  memset(colour, LOOSE_COLOUR, (size_t)n);
  for (int32_t i = 0; i < n; i++) {
    if (colour[i] != LOOSE_COLOUR) continue;
    int32_t begin = 0, end = 1;
    queue[0] = i;
    colour[i] = 0;
    while (begin < end) {
      const int32_t j = queue[begin++];
      enough &= colptr[j + 1] - colptr[j] <= ROW_ENTRIES_MAX;
      for (int32_t p = colptr[j]; p < colptr[j + 1]; p++) {
        const int32_t k = row[p];
        if (colour[k] == LOOSE_COLOUR) {
          colour[k] = (uint8_t)(1 - colour[j]);
          queue[end++] = k;
        } else if (k != j) {
          enough &= colour[k] != colour[j];
        }
      }
    }
  }
  return enough;
}

// The same, but takes the colours from places on a lattice.
static int lattice_colours(int32_t n, const int32_t *colptr, const int32_t *row,
                           const row_place *at, uint8_t *colour) {
  int32_t same = 0;
  // The sum of the first row's coordinates: this row gets colour 0.
  const int32_t first = n > 0 ? at[0].at[0] + at[0].at[1] + at[0].at[2] : 0;
  for (int32_t i = 0; i < n; i++)
    colour[i] = (uint8_t)((at[i].at[0] + at[i].at[1] + at[i].at[2] - first) & 1);
  for (int32_t i = 0; i < n; i++) {
    same |= colptr[i + 1] - colptr[i] > ROW_ENTRIES_MAX;
    for (int32_t p = colptr[i]; p < colptr[i + 1]; p++)
      same |= (colour[row[p]] == colour[i]) & (row[p] != i);
  }
  return !same;
}

// Keeps a row's colour if no earlier neighbour has it, else takes the first that none of them has.
static void more_colours(int32_t n, const int32_t *colptr, const int32_t *row, uint8_t *colour) {
  for (int32_t i = 0; i < n; i++) {
    uint32_t seen = 0;
    const int fits = colptr[i + 1] - colptr[i] <= ROW_ENTRIES_MAX;
    for (int32_t p = colptr[i]; p < colptr[i + 1] && fits; p++)
      if (row[p] < i) seen |= 1u << colour[row[p]];
    int32_t c = colour[i];
    if ((seen >> c & 1u) != 0) c = 0;
    while (c < COLOURS_MAX && (seen >> c & 1u) != 0) c++;
    colour[i] = (uint8_t)(colptr[i + 1] - colptr[i] <= ROW_ENTRIES_MAX ? c : LOOSE_COLOUR);
  }
}

// Assigns places to rows, colour by colour.
static int set_places(float_matrix *s, const perp_allocator *m, const uint8_t *colour) {
  int32_t count[COLOURS_MAX + 1] = {0}, next[COLOURS_MAX + 1];
  for (int32_t i = 0; i < s->n; i++) count[colour[i]]++;
  while (s->colours < COLOURS_MAX && count[s->colours] > 0) s->colours++;
  s->first = allocator_take(m, s->colours + 1, sizeof *s->first);
  s->place = allocator_take(m, s->n, sizeof *s->place);
  if (s->first == NULL || s->place == NULL) return -2;
  for (int32_t c = 0; c <= s->colours; c++) {
    const int32_t rows = count[c < s->colours ? c : LOOSE_COLOUR];
    s->first[c] = next[c < s->colours ? c : LOOSE_COLOUR] = s->length;
    if (c < s->colours) s->length += (rows + LANES - 1)/LANES*LANES;
  }
  s->loose = count[LOOSE_COLOUR];
  s->length += (s->loose + LANES - 1)/LANES*LANES;
  s->row = allocator_take(m, s->length, sizeof *s->row);
  if (s->row == NULL) return -2;
  for (int32_t k = 0; k < s->length; k++) s->row[k] = -1;
  for (int32_t i = 0; i < s->n; i++) {
    s->place[i] = next[colour[i]]++;
    s->row[s->place[i]] = i;
  }
  return 0;
}

typedef struct run {         // entries of a slice whose columns are at successive places
  int32_t base, count;
  int32_t entry[LANES];      // -1: none
} run;

typedef struct bundle {      // the entries of a slice in earlier colours, or in later ones
  run at[LANES*ROW_ENTRIES_MAX];
  int32_t runs;
} bundle;

static void collect(bundle *b, int32_t base, int32_t lane, int32_t entry) {
  int32_t k = b->runs;
  while (k > 0 && !(b->at[k - 1].base == base && b->at[k - 1].entry[lane] < 0)) k--;
  run *r = &b->at[k > 0 ? k - 1 : b->runs++];
  if (k == 0) {
    r->base = base;
    r->count = 0;
    for (int32_t l = 0; l < LANES; l++) r->entry[l] = -1;
  }
  r->entry[lane] = entry;
  r->count++;
}

typedef struct filling {
  int32_t slots, picks;
  const double *value;       // values to store, times unit; NULL: store `spot` instead
  double unit;
} filling;

// Stores entry p of the matrix at weight[at], or records this place for later.
static void record_entry(float_matrix *s, const filling *f, int32_t p, int32_t at) {
  if (f->value != NULL) s->weight[at] = (float)(-f->value[p]*f->unit);
  else s->spot[p] = at;
}

static int32_t new_slot(float_matrix *s, filling *f) {
  memset(s->weight + (size_t)LANES*(size_t)f->slots, 0, LANES*sizeof *s->weight);
  return f->slots++;
}

// 1: r can be loaded as a run. It must not reach places of colour c: other threads write there.
static int is_run(const float_matrix *s, const run *r, int32_t c) {
  return r->count >= RUN_LANES_MIN &&
         (r->base + LANES <= s->first[c] || r->base >= s->first[c + 1]);
}

static void write_side(float_matrix *s, const bundle *b, int32_t c, filling *f) {
  int32_t used[LANES] = {0}, most = 0;
  for (int32_t k = 0; k < b->runs; k++) {
    const run *r = &b->at[k];
    if (!is_run(s, r, c)) continue;
    const int32_t slot = new_slot(s, f);
    s->base[slot] = r->base + LANES;
    for (int32_t l = 0; l < LANES; l++)
      if (r->entry[l] >= 0) record_entry(s, f, r->entry[l], slot*LANES + l);
  }
  const int32_t first = f->slots;
  for (int32_t k = 0; k < b->runs; k++) {
    const run *r = &b->at[k];
    if (is_run(s, r, c)) continue;
    for (int32_t l = 0; l < LANES; l++) {
      if (r->entry[l] < 0) continue;
      if (used[l] == most) {                       // this lane needs one more slot
        s->base[new_slot(s, f)] = -(f->picks + 1);
        for (int32_t j = 0; j < LANES; j++) s->pick[f->picks++] = s->length;   // a place with 0
        most++;
      }
      const int32_t slot = first + used[l]++;
      s->pick[-s->base[slot] - 1 + l] = r->base + l;
      record_entry(s, f, r->entry[l], slot*LANES + l);
    }
  }
}

enum { TEMPLATE_ENTRIES_MAX = LANES*(1 + 2*ROW_PLACE_AXES) };   // entries of a slice of a grid

// A slice that consists of runs. The next slice usually looks the same, shifted by a slice.
typedef struct template {
  int32_t entries;           // 0: there is no template
  int32_t rows[LANES];       // entries of each lane's row, including the diagonal
  int32_t to[TEMPLATE_ENTRIES_MAX];      // the place that each is coupled to; -1: the diagonal
  int32_t at[TEMPLATE_ENTRIES_MAX];      // place of its weight, from the first slot of the slice on
  int32_t slots[3];          // first slots of the two sides, and number of slots
  int32_t base[TEMPLATE_ENTRIES_MAX];    // place that lane 0 of each slot is coupled to
} template;

// Fills slice k like the one before. Returns 0 if it differs.
static int repeat_template(float_matrix *s, const int32_t *colptr, const int32_t *row, int32_t k,
                           int32_t c, template *t, filling *f) {
  if (t->entries == 0) return 0;
  int32_t e = 0, different = 0, first[LANES];
  for (int32_t l = 0; l < LANES; l++) {
    const int32_t i = s->row[k*LANES + l];
    if (i < 0 || colptr[i + 1] - colptr[i] != t->rows[l]) return 0;
    first[l] = colptr[i];
    for (int32_t p = first[l]; p < first[l] + t->rows[l]; p++, e++)
      different |= row[p] == i ? t->to[e] != -1 : s->place[row[p]] != t->to[e] + LANES;
  }
  const int32_t slots = t->slots[2], low = s->first[c], high = s->first[c + 1];
  // The slots must stay on their side and must not reach places of colour c.
  for (int32_t q = 0; q < slots; q++) {
    const int32_t base = t->base[q] + LANES;
    different |= q < t->slots[1] ? base + LANES > low : base < high;
  }
  if (different) return 0;
  for (int32_t q = 0; q < slots; q++) {
    const int32_t slot = new_slot(s, f);
    t->base[q] += LANES;
    s->base[slot] = t->base[q] + LANES;
  }
  const int32_t begin = f->slots - slots;
  s->slot[2*k] = begin;
  s->slot[2*k + 1] = begin + t->slots[1];
  e = 0;
  for (int32_t l = 0; l < LANES; l++)
    for (int32_t p = first[l]; p < first[l] + t->rows[l]; p++, e++) {
      if (t->to[e] < 0) continue;
      t->to[e] += LANES;
      record_entry(s, f, p, begin*LANES + t->at[e]);
    }
  return 1;
}

// Makes a template of the slice written last, if possible.
static void make_template(const float_matrix *s, const int32_t *colptr, const int32_t *row,
                          int32_t k, const filling *f, template *t) {
  const int32_t begin = s->slot[2*k], slots = f->slots - begin;
  int32_t e = 0;
  t->entries = 0;
  if (slots > TEMPLATE_ENTRIES_MAX) return;
  for (int32_t q = 0; q < slots; q++) {
    t->base[q] = s->base[begin + q] - LANES;
    if (s->base[begin + q] < 0) return;
  }
  for (int32_t l = 0; l < LANES; l++) {
    const int32_t i = s->row[k*LANES + l];
    if (i < 0 || e + colptr[i + 1] - colptr[i] > TEMPLATE_ENTRIES_MAX) return;
    t->rows[l] = colptr[i + 1] - colptr[i];
    for (int32_t p = colptr[i]; p < colptr[i + 1]; p++, e++) {
      t->to[e] = row[p] == i ? -1 : s->place[row[p]];
      int32_t q = 0;                                 // the slot with this entry
      while (t->to[e] >= 0 && q < slots && t->base[q] + l != t->to[e]) q++;
      if (q == slots) return;
      t->at[e] = q*LANES + l;
    }
  }
  t->slots[0] = 0;
  t->slots[1] = s->slot[2*k + 1] - begin;
  t->slots[2] = slots;
  t->entries = e;
}

static void set_slices(float_matrix *s, const int32_t *colptr, const int32_t *row, filling *f,
                       bundle *earlier, bundle *later) {
  int32_t c = 0;
  const int32_t count = s->first[s->colours]/LANES;
  template t = {.entries = 0};
  for (int32_t k = 0; k < count; k++) {
    while (k*LANES >= s->first[c + 1]) {
      c++;
      t.entries = 0;
    }
    if (repeat_template(s, colptr, row, k, c, &t, f)) continue;
    earlier->runs = later->runs = 0;
    for (int32_t l = 0; l < LANES; l++) {
      const int32_t i = s->row[k*LANES + l];
      if (i < 0) continue;
      for (int32_t p = colptr[i]; p < colptr[i + 1]; p++) {
        const int32_t to = s->place[row[p]];
        if (row[p] != i) collect(to < s->first[c] ? earlier : later, to - l, l, p);
      }
    }
    s->slot[2*k] = f->slots;
    write_side(s, earlier, c, f);
    s->slot[2*k + 1] = f->slots;
    write_side(s, later, c, f);
    make_template(s, colptr, row, k, f, &t);
  }
  for (int32_t k = count; k <= s->length/LANES; k++) {
    s->slot[2*k] = f->slots;
    if (k < s->length/LANES) s->slot[2*k + 1] = f->slots;
  }
}

static void set_loose(float_matrix *s, const int32_t *colptr, const int32_t *row,
                      const filling *f) {
  int32_t used = 0;
  for (int32_t k = 0; k < s->loose; k++) {
    const int32_t i = s->row[s->first[s->colours] + k];
    s->loose_start[k] = used;
    for (int32_t p = colptr[i]; p < colptr[i + 1]; p++) {
      if (row[p] == i) continue;
      record_entry(s, f, p, s->loose_weight + used);
      s->loose_pick[used++] = s->place[row[p]];
    }
  }
  s->loose_start[s->loose] = used;
}

int float_matrix_create(float_matrix *s, int32_t n, const int32_t *colptr, const int32_t *row,
                        const row_place *at, const double *value, double unit,
                        const perp_allocator *m) {
  *s = (float_matrix){.n = n};
  const int64_t entries = colptr[n];
  uint8_t *colour = allocator_take(m, n, 1);
  int32_t *queue = allocator_take(m, n, sizeof *queue);
  bundle *side = allocator_take(m, 2, sizeof *side);
  int failed = colour == NULL || queue == NULL || side == NULL ? -2 : 0;
  if (failed == 0) {
    if (!(at != NULL && lattice_colours(n, colptr, row, at, colour)) &&
        !two_colours(n, colptr, row, colour, queue))
      more_colours(n, colptr, row, colour);
    failed = set_places(s, m, colour);
  }
  allocator_drop(m, colour);
  allocator_drop(m, queue);
  if (failed == 0) {
    int64_t loose = 0, most = entries/RUN_LANES_MIN + 1;   // slots: of runs, then of picked entries
    for (int32_t k = 0; k < s->first[s->colours]; k += LANES) {
      int32_t widest = 0;
      for (int32_t l = 0; l < LANES; l++)
        if (s->row[k + l] >= 0) {
          const int32_t width = colptr[s->row[k + l] + 1] - colptr[s->row[k + l]];
          widest = width > widest ? width : widest;
        }
      most += 2*widest;
    }
    for (int32_t k = 0; k < s->loose; k++) {
      const int32_t i = s->row[s->first[s->colours] + k];
      loose += colptr[i + 1] - colptr[i];
    }
    if (most*LANES + loose > INT32_MAX) failed = -2;
    s->slot = allocator_take(m, 2*(int64_t)(s->length/LANES) + 1, sizeof *s->slot);
    s->base = allocator_take(m, most, sizeof *s->base);
    s->pick = allocator_take(m, most*LANES, sizeof *s->pick);
    s->spot = value == NULL ? allocator_take(m, entries, sizeof *s->spot) : NULL;
    s->weight = allocator_take(m, most*LANES + loose, sizeof *s->weight);   // an upper bound
    s->loose_start = allocator_take(m, s->loose + 1, sizeof *s->loose_start);
    s->loose_pick = allocator_take(m, loose, sizeof *s->loose_pick);
    s->inverse = allocator_take(m, s->length, sizeof *s->inverse);
    s->sum = allocator_take(m, s->length, sizeof *s->sum);
    if (s->slot == NULL || s->base == NULL || s->pick == NULL ||
        (value == NULL && s->spot == NULL) || s->weight == NULL ||
        s->loose_start == NULL || s->loose_pick == NULL || s->inverse == NULL || s->sum == NULL)
      failed = -2;
    if (failed == 0) {
      filling f = {.value = value, .unit = unit};
      if (s->spot != NULL) memset(s->spot, -1, (size_t)entries*sizeof *s->spot);
      set_slices(s, colptr, row, &f, &side[0], &side[1]);
      s->loose_weight = f.slots*LANES;
      set_loose(s, colptr, row, &f);
      memset(s->inverse, 0, (size_t)s->length*sizeof *s->inverse);
      memset(s->sum, 0, (size_t)s->length*sizeof *s->sum);
    }
  }
  allocator_drop(m, side);
  if (failed != 0) float_matrix_free(s, m);
  return failed;
}

void float_matrix_row_mask(float_matrix *s, int32_t i, const int32_t *colptr, const int32_t *row,
                           const double *value, double unit, int active) {
  const int32_t at = s->place[i];
  double diagonal = 0.0;
  for (int32_t p = colptr[i]; active && p < colptr[i + 1]; p++) {
    const int loose = at >= s->first[s->colours] && s->place[row[p]] >= s->first[s->colours];
    if (row[p] == i) diagonal += value[p];
    else if (loose) diagonal += fabs(value[p]);
  }
  const float size = (float)(diagonal*unit);
  s->inverse[at] = size > 1e-30f ? 1.0f/size : 0.0f;
}

void float_matrix_row(float_matrix *s, int32_t i, const int32_t *colptr, const int32_t *row,
                      const double *value, double unit, int active) {
  double sum = 0.0;
  for (int32_t p = colptr[i]; p < colptr[i + 1]; p++) {
    sum += value[p];
    if (s->spot != NULL && s->spot[p] >= 0) s->weight[s->spot[p]] = (float)(-value[p]*unit);
  }
  s->sum[s->place[i]] = (float)(sum*unit);
  float_matrix_row_mask(s, i, colptr, row, value, unit, active);
}

// ------------------------------------------------------------------------------------- kernels

EXACT_INLINE eight coupled(const float_matrix *s, int32_t k, const float *z) {
  const int32_t base = s->base[k];
  return base > 0 ? eight_load(z + base - LANES) : eight_pick(z, s->pick - base - 1);
}

EXACT_INLINE void relax_body(const float_matrix *s, int32_t from, int32_t to, int all,
                             const float *r,
                             float *z) {
  for (int32_t k = from; k < to; k++) {
    const int32_t end = s->slot[2*k + 1 + (all != 0)];
    eight sum = eight_load(r + LANES*k);
    for (int32_t p = s->slot[2*k]; p < end; p++)
      sum = eight_add(sum, eight_multiply(eight_load(s->weight + (size_t)LANES*(size_t)p),
                                          coupled(s, p, z)));
    eight_store(z + LANES*k, eight_multiply(sum, eight_load(s->inverse + LANES*k)));
  }
}

EXACT_INLINE void remainder_body(const float_matrix *s, int32_t from, int32_t to, const float *z,
                                 float *w) {
  for (int32_t k = from; k < to; k++) {
    eight sum = eight_all(0.0f);
    for (int32_t p = s->slot[2*k + 1]; p < s->slot[2*k + 2]; p++)
      sum = eight_add(sum, eight_multiply(eight_load(s->weight + (size_t)LANES*(size_t)p),
                                          coupled(s, p, z)));
    eight_store(w + LANES*k, eight_where(eight_load(s->inverse + LANES*k), sum));
  }
}

EXACT_INLINE void product_body(const float_matrix *s, int32_t from, int32_t to, const float *z,
                               float *y) {
  for (int32_t k = from; k < to; k++) {
    const eight own = eight_load(z + LANES*k);
    eight sum = eight_multiply(eight_load(s->sum + LANES*k), own);
    for (int32_t p = s->slot[2*k]; p < s->slot[2*k + 2]; p++)
      sum = eight_add(sum, eight_multiply(eight_load(s->weight + (size_t)LANES*(size_t)p),
                                          eight_subtract(own, coupled(s, p, z))));
    eight_store(y + LANES*k, eight_where(eight_load(s->inverse + LANES*k), sum));
  }
}

#if defined(__GNUC__) && defined(__x86_64__)
EXACT_WIDE static void relax_wide(const float_matrix *s, int32_t from, int32_t to, int all,
                                  const float *r, float *z) {
  relax_body(s, from, to, all, r, z);
}
EXACT_WIDE static void remainder_wide(const float_matrix *s, int32_t from, int32_t to,
                                      const float *z,
                                      float *w) {
  remainder_body(s, from, to, z, w);
}
EXACT_WIDE static void product_wide(const float_matrix *s, int32_t from, int32_t to, const float *z,
                                    float *y) {
  product_body(s, from, to, z, y);
}
#define WIDE(name, ...)                                                                            \
  if (EXACT_HAS_WIDE()) name##_wide(__VA_ARGS__);                                                  \
  else name##_body(__VA_ARGS__)
#else
#define WIDE(name, ...) name##_body(__VA_ARGS__)
#endif

static void relax(const float_matrix *s, int32_t from, int32_t to, int all, const float *r,
                  float *z) {
  WIDE(relax, s, from, to, all, r, z);
}
static void remainder_of(const float_matrix *s, int32_t from, int32_t to, const float *z,
                         float *w) {
  WIDE(remainder, s, from, to, z, w);
}

// (A z)_i of loose row number k
static float loose_product(const float_matrix *s, int32_t k, const float *z) {
  const int32_t at = s->first[s->colours] + k;
  float sum = s->sum[at]*z[at];
  for (int32_t p = s->loose_start[k]; p < s->loose_start[k + 1]; p++)
    sum += s->weight[s->loose_weight + p]*(z[at] - z[s->loose_pick[p]]);
  return sum;
}

void float_matrix_product(const float_matrix *s, int32_t from, int32_t to, const float *p,
                          float *q) {
  const int32_t coloured = s->first[s->colours]/LANES;
  WIDE(product, s, from, to < coloured ? to : coloured, p, q);
  for (int32_t at = from > coloured ? LANES*from : LANES*coloured; at < LANES*to; at++) {
    const int32_t k = at - LANES*coloured;
    q[at] = k < s->loose && s->inverse[at] != 0.0f ? loose_product(s, k, p) : 0.0f;
  }
}

typedef struct pass {
  const float_matrix *s;
  int32_t from, to;          // slices
  int all;
  const float *r;
  float *z, *w;
} pass;

static void relax_part(void *data, int32_t part) {
  const pass *a = data;
  const int32_t from = a->from + part*PART_SLICES, to = from + PART_SLICES;
  relax(a->s, from, to < a->to ? to : a->to, a->all, a->r, a->z);
}

static void remainder_part(void *data, int32_t part) {
  const pass *a = data;
  const int32_t from = a->from + part*PART_SLICES, to = from + PART_SLICES;
  remainder_of(a->s, from, to < a->to ? to : a->to, a->z, a->w);
}

static void run_pass(team *threads, void (*work)(void *, int32_t), pass *a) {
  const int32_t count = a->to - a->from, parts = (count + PART_SLICES - 1)/PART_SLICES;
  team_run(count > SERIAL_SLICES_MAX ? threads : NULL, work, a, parts);
}

static void colour_pass(const float_matrix *s, team *threads, int32_t c, int all, const float *r,
                        float *z) {
  pass a = {.s = s, .from = s->first[c]/LANES, .to = s->first[c + 1]/LANES, .all = all, .r = r,
            .z = z};
  run_pass(threads, relax_part, &a);
}

// Relaxes all loose rows; they use the old values of other loose rows.
static void loose_pass(const float_matrix *s, const float *r, float *z, float *work) {
  const int32_t first = s->first[s->colours];
  for (int32_t k = 0; k < s->loose; k++)
    work[first + k] = s->inverse[first + k]*(r[first + k] - loose_product(s, k, z));
  for (int32_t k = 0; k < s->loose; k++) z[first + k] += work[first + k];
}

void float_matrix_forward(const float_matrix *s, team *threads, const float *r, float *z,
                          float *work) {
  for (int32_t c = 0; c < s->colours; c++) colour_pass(s, threads, c, 0, r, z);
  for (int32_t k = 0; k < s->loose; k++) z[s->first[s->colours] + k] = 0.0f;
  loose_pass(s, r, z, work);
}

void float_matrix_backward(const float_matrix *s, team *threads, const float *r, float *z,
                           float *work) {
  loose_pass(s, r, z, work);
  for (int32_t c = s->colours - 1; c >= 0; c--) colour_pass(s, threads, c, 1, r, z);
}

void float_matrix_remainder(const float_matrix *s, team *threads, const float *r, const float *z,
                            float *w) {
  const int32_t exact = float_matrix_exact(s), coloured = s->first[s->colours];
  pass a = {.s = s, .to = (exact < coloured ? exact : coloured)/LANES,
            .z = (float *)(uintptr_t)z, .w = w};
  run_pass(threads, remainder_part, &a);
  for (int32_t k = 0; k < s->loose; k++) {
    const int32_t at = coloured + k;
    w[at] = s->inverse[at] != 0.0f ? r[at] - loose_product(s, k, z) : 0.0f;
  }
}

typedef struct part_job {
  float_matrix_work *work;
  void *data;
  int32_t count;             // slices
} part_job;

static void run_part(void *data, int32_t part) {
  const part_job *p = data;
  const int32_t from = part*PART_SLICES, to = from + PART_SLICES;
  p->work(p->data, from, to < p->count ? to : p->count, part);
}

void float_matrix_run(const float_matrix *s, team *threads, float_matrix_work *work, void *data) {
  part_job p = {work, data, s->length/LANES};
  team_run(p.count > SERIAL_SLICES_MAX ? threads : NULL, run_part, &p, float_matrix_parts(s));
}
