// liquid_frames.c: a recording of a liquid, frame by frame, and the ends of its colours.
#include "liquid_frames.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "quantiles.h"

enum { SAMPLE_ROOM = 1 << 13 };   // numbers from which the range of colours is estimated

void liquid_begin(const recording *file,
                  liquid *out) { *out = (liquid){.file = file, .chunk = -1}; }

static void drop(liquid *what) {
  if (what->chunk < 0) return;
  record_flow_free(&what->flow);
  if (what->grid.cells[0]) record_grid_free(&what->grid);
  what->chunk = -1;
}

void liquid_end(liquid *what) { drop(what); }

static int unpack(liquid *what, int32_t chunk) {
  if (chunk == what->chunk) return CODE_OK;
  drop(what);
  what->grid = (record_grid){0};
  int code = recording_flow(what->file, chunk, &what->flow);
  if (code) return code;
  if (what->file->head.liquid.fields) code = recording_grid(what->file, chunk + 1, &what->grid);
  if (code) record_flow_free(&what->flow);
  else what->chunk = chunk;
  return code;
}

int liquid_at(liquid *what, int64_t frame, liquid_frame *out) {
  uint32_t f;
  const int32_t chunk = recording_chunk(what->file, frame, &f);
  const int code = unpack(what, chunk);
  if (code) return code;
  const record_flow *flow = &what->flow;
  const record_grid *grid = &what->grid;
  const uint32_t start = record_flow_start(flow, f);
  *out = (liquid_frame){.count = flow->count[f], .top = (double)flow->top[f]};
  for (int c = 0; c < flow->dimension; c++) {
    out->place[c] = flow->place[c] ? flow->place[c] + start : NULL;
    out->velocity[c] = flow->velocity[c] ? flow->velocity[c] + start : NULL;
  }
  const size_t at = grid->cells[0] ? record_grid_cells(grid)*f : 0;
  if (grid->type) out->type = grid->type + at;
  if (grid->surface) out->surface = grid->surface + at;
  if (grid->pressure) out->pressure = grid->pressure + at, out->unit = (double)grid->unit[f];
  return CODE_OK;
}

void liquid_pose(const liquid *what, int64_t frame, int32_t slot, double pose[RECORD_POSE]) {
  uint32_t f;
  recording_chunk(what->file, frame, &f);
  for (int c = 0; c < RECORD_POSE; c++) pose[c] = (double)record_pose(&what->flow, c, f)[slot];
}

double liquid_place(const recording_head *head, uint16_t place) {
  return (place + 0.5)*head->liquid.spacing/head->liquid.fine;
}

size_t liquid_cell(const recording_head *head, const liquid_frame *frame, uint32_t p) {
  const size_t fine = (size_t)head->liquid.fine, nx = (size_t)head->liquid.cells[0];
  const size_t k = frame->place[2] ? frame->place[2][p]/fine : 0;
  return (k*(size_t)head->liquid.cells[1] + frame->place[1][p]/fine)*nx + frame->place[0][p]/fine;
}

double liquid_speed(const recording_head *head, const liquid_frame *frame, uint32_t p) {
  double square = 0.0;
  for (int c = 0; c < head->dimension; c++) {
    const double v = record_velocity(frame->top, frame->velocity[c][p]);
    square += v*v;
  }
  return sqrt(square);
}

// --------------------------------------------------------------------------------- ends of colours

// Of a frame what 98 of 100 cells do not exceed; of those the middle one over all frames: an impact
// has a hundred times the pressure of the liquid at rest, for a few frames.
typedef struct samples { sample speed, push, pull, pushes, pulls; } samples;

static void look(const recording_head *head, const liquid_frame *frame, samples *s) {
  for (uint32_t p = 0; p < frame->count; p++) quantiles_add(&s->speed, liquid_speed(head, frame,
                                                                                    p));
  if (!frame->pressure || !frame->type) return;
  const size_t cells = (size_t)head->liquid.cells[0]*(size_t)head->liquid.cells[1]*
                       (size_t)head->liquid.cells[2];
  quantiles_begin(&s->push, SAMPLE_ROOM);
  quantiles_begin(&s->pull, SAMPLE_ROOM);
  for (size_t i = 0; i < cells; i++) {
    const double pressure = frame->unit*frame->pressure[i];
    if ((frame->type[i] & RECORD_CELL_TYPE) != 1 || pressure == 0.0) continue;
    if (pressure > 0.0) quantiles_add(&s->push, pressure);
    else quantiles_add(&s->pull, -pressure);
  }
  const double push = quantiles_quantile(&s->push, 0.98), pull = quantiles_quantile(&s->pull, 0.95);
  if (s->push.seen > 0) quantiles_add(&s->pushes, push);
  // what rounding leaves, and a few cells, are no suction
  if (s->pull.seen*100 > s->push.seen && pull > 0.01*push) quantiles_add(&s->pulls, pull);
}

// Particles of a frame over the cells that have some.
static double density(const recording_head *head, const liquid_frame *frame) {
  size_t cells = 0, last = 0;
  for (uint32_t p = 0; p < frame->count; p++) {
    const size_t cell = liquid_cell(head, frame, p);
    cells += p == 0 || cell != last;
    last = cell;
  }
  return cells ? (double)frame->count/(double)cells : 0.0;
}

static double gap_of(const recording_head *head, double dense) {
  return dense > 0.0 ? pow(1.0/fmax(dense, 1.0), 1.0/head->dimension) : 0.5;
}

int liquid_gap(liquid *what, double *gap) {
  const recording_head *head = &what->file->head;
  double dense = 0.0;
  for (int64_t f = 0; f < what->file->frames && dense == 0.0; f++) {
    liquid_frame frame;
    const int code = liquid_at(what, f, &frame);
    if (code) return code;
    dense = density(head, &frame);
  }
  *gap = gap_of(head, dense);
  return CODE_OK;
}

int liquid_measure(liquid *what, int64_t every, liquid_scale *out) {
  const recording_head *head = &what->file->head;
  samples *s = calloc(1, sizeof *s);
  if (!s) return fail(CODE_IO, "out of memory");
  quantiles_begin(&s->speed, SAMPLE_ROOM);
  quantiles_begin(&s->pushes, SAMPLE_ROOM);
  quantiles_begin(&s->pulls, SAMPLE_ROOM);
  *out = (liquid_scale){0};
  double dense = 0.0;
  int code = CODE_OK;
  for (int64_t f = 0; f < what->file->frames && !code; f += every) {
    liquid_frame frame;
    code = liquid_at(what, f, &frame);
    if (code) break;
    look(head, &frame, s);
    if (frame.count > out->most) out->most = frame.count;
    out->particles += frame.count;
    if (dense == 0.0) dense = density(head, &frame);
  }
  out->gap = gap_of(head, dense);
  out->speed = quantiles_quantile(&s->speed, 0.995);
  out->pressure = quantiles_quantile(&s->pushes, 0.5);
  out->suction = quantiles_quantile(&s->pulls, 0.5);
  free(s);
  return code;
}

void liquid_share(liquid_scale *a, liquid_scale *b) {
  a->speed = b->speed = fmax(a->speed, b->speed);
  a->pressure = b->pressure = fmax(a->pressure, b->pressure);
  a->suction = b->suction = fmax(a->suction, b->suction);
}

double liquid_part_speed(const liquid_scale *scale, double speed) {
  return scale->speed > 0.0 ? sqrt(fmin(speed/scale->speed, 1.0)) : 0.0;
}

// --------------------------------------------------------------------------------- what can be
// seen

// Cells with at least half as many particles as usual.
static void mark_full(const recording_head *head, const liquid_frame *frame, double gap,
                      uint8_t *full) {
  const double usual = pow(1.0/gap, head->dimension);
  for (uint32_t i = 0; i < frame->count;) {
    const size_t cell = liquid_cell(head, frame, i);
    const uint32_t first = i;
    while (i < frame->count && liquid_cell(head, frame, i) == cell) i++;
    full[cell] = 2*(i - first) >= usual;
  }
}

// All 26 cells around it are full; what is beyond the grid can be looked through.
static int enclosed(const recording_head *head, const uint8_t *full, size_t cell) {
  const size_t nx = (size_t)head->liquid.cells[0], ny = (size_t)head->liquid.cells[1];
  const size_t nz = (size_t)head->liquid.cells[2];
  const size_t i = cell % nx, j = cell/nx % ny, k = cell/nx/ny;
  if (i == 0 || j == 0 || k == 0 || i + 1 == nx || j + 1 == ny || k + 1 == nz) return 0;
  for (size_t c = k - 1; c <= k + 1; c++)
    for (size_t b = j - 1; b <= j + 1; b++)
      for (size_t a = i - 1; a <= i + 1; a++)
        if (!full[(c*ny + b)*nx + a]) return 0;
  return 1;
}

uint8_t *liquid_hidden(const recording_head *head, const liquid_frame *frame, double gap) {
  const size_t cells = (size_t)head->liquid.cells[0]*(size_t)head->liquid.cells[1]*
                       (size_t)head->liquid.cells[2];
  uint8_t *hide = calloc((size_t)frame->count + 1, 1), *full = calloc(cells, 1);
  if (hide && full && head->dimension == 3) {
    mark_full(head, frame, gap, full);
    size_t last = SIZE_MAX;
    int skip = 0;
    for (uint32_t p = 0; p < frame->count; p++) {
      const size_t cell = liquid_cell(head, frame, p);
      if (cell != last) skip = enclosed(head, full, cell);
      last = cell;
      hide[p] = (uint8_t)skip;
    }
  }
  if (!full) free(hide), hide = NULL;
  free(full);
  return hide;
}

uint8_t *liquid_full(const recording_head *head, const liquid_frame *frame) {
  const int32_t *n = head->liquid.cells;
  const size_t cells = (size_t)n[0]*(size_t)n[1]*(size_t)n[2];
  uint8_t *full = frame->type ? malloc(cells) : NULL;
  size_t cell = 0;
  for (int32_t k = 0; k < n[2] && full; k++)
    for (int32_t j = 0; j < n[1]; j++)
      for (int32_t i = 0; i < n[0]; i++, cell++) {
        full[cell] = (frame->type[cell] & RECORD_CELL_TYPE) == 1;
        for (int32_t c = k > 0 ? k - 1 : 0; c <= k + 1 && c < n[2] && full[cell]; c++)
          for (int32_t b = j > 0 ? j - 1 : 0; b <= j + 1 && b < n[1]; b++)
            for (int32_t a = i > 0 ? i - 1 : 0; a <= i + 1 && a < n[0]; a++) {
              const size_t other = ((size_t)c*(size_t)n[1] + (size_t)b)*(size_t)n[0] + (size_t)a;
              if ((frame->type[other] & RECORD_CELL_TYPE) == 2) full[cell] = 0;
            }
      }
  return full;
}
