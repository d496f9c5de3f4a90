// replay_liquid.c: a recording of a liquid as the player reads it.
//
// Particles are ordered by cell. For each one the page stores the step from the previous particle's
// cell (mostly 0 or 1), the place in the cell in a few bits, and the differences of velocity and
// pressure from the previous particle: about 3 bytes in the plane, compressed. Each frame is
// complete, so the page only unpacks the frames that it shows.
//
// In three dimensions only particles near the surface or a wall are kept, as the others cannot be
// seen. If there are still too many, every n-th is kept. If there are too many cells, they are
// merged into blocks of 2 x 2 x 2 or more. The surface has nodes of its own (replay_surface.h).
// Velocities compress worst, so in three dimensions they are rounded more coarsely: they are only
// used for colours and for the motion between frames.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/perp.h>

#include "liquid_frames.h"
#include "message.h"
#include "replay_common.h"
#include "replay_surface.h"
#include "solve_settings.h"

enum {
  FLAT_PARTICLES_MAX = 16000000,    // of all frames in the plane: a page of about 50 MB
  SPACE_PARTICLES_MAX = 8000000,    // of all frames in space: a page of about 35 MB
  SPACE_CELLS_MAX = 48000000,       // of all frames in space: 2 bytes each in the browser
  SPACE_SPEED_STEPS = 32,           // of a velocity in space, each way; in the plane 127
  FLAT_PLACES = 32, SPACE_PLACES = 16   // of a particle along the edge of its cell
};

typedef struct page_cell { uint8_t type, pressure; } page_cell;

typedef struct packer {
  const recording *what;
  const replay_settings *settings;
  liquid liquid;
  liquid_scale scale;
  record_steps steps;
  int64_t frames;
  uint32_t levels, stride;     // every stride-th particle is kept
  uint32_t most;               // that are kept of a frame
  size_t cells;
  int32_t block, page[3];      // in space: cells of the grid along the edge of a page's cell; cells
                               //   of the page
  uint32_t *kept;              // scale.most: which particles
  page_cell *blocks;           // of a frame
  replay_surface surface;      // in space
  uint32_t *length;            // frames: bytes
  planes plain, body;          // body: the frames
} packer;

static const recording_head *head_of(const packer *p) { return &p->what->head; }

static int out_of_memory(const packer *p) {
  return fail(CODE_IO, "%s: out of memory for %lld frames of up to %lu particles; try --every 10",
              p->what->path, (long long)p->frames, (unsigned long)p->scale.most);
}

// -------------------------------------------------------------------------------------- particles

// The particles of a frame that are kept, into p->kept.
static int choose(packer *p, const liquid_frame *frame, uint32_t *count) {
  uint8_t *hide = liquid_hidden(head_of(p), frame, p->scale.gap);
  uint32_t seen = 0;
  if (!hide) return out_of_memory(p);
  *count = 0;
  for (uint32_t i = 0; i < frame->count; i++)
    if (!hide[i] && seen++ % p->stride == 0) p->kept[(*count)++] = i;
  free(hide);
  return CODE_OK;
}

// Every n-th, so that the page has room for all frames.
static int choose_stride(packer *p) {
  int64_t total = 0;
  uint32_t most = 0;
  p->stride = 1;
  for (int64_t f = 0; f < p->what->frames; f += p->settings->every) {
    liquid_frame frame;
    uint32_t count;
    int code = liquid_at(&p->liquid, f, &frame);
    if (!code) code = choose(p, &frame, &count);
    if (code) return code;
    total += count;
    if (count > most) most = count;
  }
  const int64_t wanted = p->settings->particles;
  const int64_t budget = head_of(p)->dimension == 2 ? FLAT_PARTICLES_MAX : SPACE_PARTICLES_MAX;
  const int64_t stride = wanted ? (most + wanted - 1)/wanted : (total + budget - 1)/budget;
  p->stride = stride > 1 ? (uint32_t)stride : 1;
  p->most = (most + p->stride - 1)/p->stride;
  return CODE_OK;
}

// ----------------------------------------------------------------------------------------- a frame

static void put_float(planes *out, double value) {
  const float single = (float)value;
  uint32_t word;
  memcpy(&word, &single, sizeof word);
  planes_words(out, &word, 1, 4);
}

static void put_byte(planes *out, uint32_t value) {
  planes_bytes(out, &(unsigned char){(unsigned char)value}, 1);
}

// 0 for the most suction, 255 for the largest pressure.
static uint32_t pressure_byte(const packer *p, double pressure) {
  const double low = -p->scale.suction, high = p->scale.pressure;
  if (!(high > low)) return 0;
  return (uint32_t)lrint(255.0*fmin(fmax((pressure - low)/(high - low), 0.0), 1.0));
}

static void put_solids(packer *p, int64_t f) {
  for (int32_t s = 0; s < head_of(p)->moving; s++) {
    double pose[RECORD_POSE];
    liquid_pose(&p->liquid, f, s, pose);
    for (int c = 0; c < RECORD_POSE; c++) put_float(&p->body, pose[c]);
  }
}

static uint32_t count_separating(const packer *p, const liquid_frame *frame) {
  uint32_t count = 0;
  for (size_t i = 0; frame->type && i < p->cells; i++)
    count += (frame->type[i] & RECORD_CELL_SEPARATING) != 0;
  return count;
}

static void put_separating(packer *p, const liquid_frame *frame) {
  size_t last = 0;
  for (size_t i = 0; frame->type && i < p->cells; i++) {
    if (!(frame->type[i] & RECORD_CELL_SEPARATING)) continue;
    planes_number(&p->body, i - last);
    last = i;
  }
}

static uint32_t velocity_code(const packer *p, int8_t code) {
  if (head_of(p)->dimension == 2) return (uint32_t)code;
  return (uint32_t)lrint(rint(code*SPACE_SPEED_STEPS/127.0)*127.0/SPACE_SPEED_STEPS);
}

static void put_particles(packer *p, const liquid_frame *frame, uint32_t count) {
  const uint32_t fine = (uint32_t)head_of(p)->liquid.fine;
  size_t last = 0;
  for (uint32_t k = 0; k < count; k++) {
    const size_t cell = liquid_cell(head_of(p), frame, p->kept[k]);
    planes_number(&p->body, cell - last);
    last = cell;
  }
  for (int c = 0; c < head_of(p)->dimension; c++)
    for (uint32_t k = 0; k < count; k++)
      put_byte(&p->body, frame->place[c][p->kept[k]] % fine*p->levels/fine);
  for (int c = 0; c < head_of(p)->dimension; c++) {
    uint32_t before = 0;
    for (uint32_t k = 0; k < count; k++) {
      const uint32_t now = velocity_code(p, frame->velocity[c][p->kept[k]]);
      put_byte(&p->body, planes_fold(now - before, 1));
      before = now;
    }
  }
}

static void put_pressures(packer *p, const liquid_frame *frame, uint32_t count) {
  uint32_t before = 0;
  for (uint32_t k = 0; k < count; k++) {
    const size_t cell = liquid_cell(head_of(p), frame, p->kept[k]);
    const uint32_t now = pressure_byte(p, frame->unit*frame->pressure[cell]);
    put_byte(&p->body, planes_fold(now - before, 1));
    before = now;
  }
}

// ------------------------------------------------------------------------------------------- cells

static int fields_of(const packer *p) {
  const uint32_t needed = RECORD_TYPES_OF_CELLS | RECORD_PRESSURE;
  return (head_of(p)->liquid.fields & needed) == needed;
}

static int surface_of(const packer *p) {   // in the plane particles are enough
  return head_of(p)->dimension == 3 && (head_of(p)->liquid.fields & RECORD_SURFACE) != 0;
}

static void choose_block(packer *p) {
  const int32_t *n = head_of(p)->liquid.cells;
  const int deep = head_of(p)->dimension == 3;
  const double frames = (double)p->frames, wanted = (double)p->settings->cells;
  const double most = wanted > 0.0 ? wanted : SPACE_CELLS_MAX/fmax(frames, 1.0);
  double cells;
  p->block = 0;
  do {
    p->block++;
    cells = 1.0;
    for (int c = 0; c < 3; c++) {
      p->page[c] = (n[c] + p->block - 1)/p->block;
      cells *= p->page[c];
    }
  } while (deep && cells > fmax(most, 1.0));
}

// What a block of cells is together: what most of it is, solids not counted; the mean pressure of
// its liquid.
static page_cell block_at(const packer *p, const liquid_frame *frame, const int32_t at[3]) {
  const int32_t *n = head_of(p)->liquid.cells;
  int32_t wet = 0, dry = 0, from[3], to[3];
  double pressure = 0.0;
  for (int c = 0; c < 3; c++) {
    from[c] = at[c]*p->block;
    to[c] = from[c] + p->block < n[c] ? from[c] + p->block : n[c];
  }
  for (int32_t k = from[2]; k < to[2]; k++)
    for (int32_t j = from[1]; j < to[1]; j++)
      for (int32_t i = from[0]; i < to[0]; i++) {
        const size_t one = ((size_t)k*(size_t)n[1] + (size_t)j)*(size_t)n[0] + (size_t)i;
        const int type = frame->type ? frame->type[one] & RECORD_CELL_TYPE : 0;
        wet += type == PERP_CELL_LIQUID;
        dry += type == PERP_CELL_AIR;
        if (frame->pressure && type == PERP_CELL_LIQUID) pressure += frame->pressure[one];
      }
  const int type = wet + dry == 0 ? PERP_CELL_SOLID : wet >= dry ? PERP_CELL_LIQUID : PERP_CELL_AIR;
  return (page_cell){.type = (uint8_t)type,
                     .pressure = (uint8_t)(wet ? pressure_byte(p, frame->unit*pressure/wet) : 0)};
}

static size_t blocks_of(const packer *p) {
  return (size_t)p->page[0]*(size_t)p->page[1]*(size_t)p->page[2];
}

static void make_blocks(packer *p, const liquid_frame *frame) {
  page_cell *next = p->blocks;
  int32_t at[3];
  for (at[2] = 0; at[2] < p->page[2]; at[2]++)
    for (at[1] = 0; at[1] < p->page[1]; at[1]++)
      for (at[0] = 0; at[0] < p->page[0]; at[0]++) *next++ = block_at(p, frame, at);
}

static void put_types(packer *p) {
  for (size_t i = 0; i < blocks_of(p); i++) put_byte(&p->body, p->blocks[i].type);
}

// What does not show, the pressure of air, is that of the cell before.
static void put_cell_pressures(packer *p) {
  uint32_t before = 0;
  for (size_t i = 0; i < blocks_of(p); i++) {
    const page_cell one = p->blocks[i];
    const uint32_t now = one.type == PERP_CELL_LIQUID ? one.pressure : before;
    put_byte(&p->body, planes_fold(now - before, 1));
    before = now;
  }
}

static int put_frames(packer *p) {
  size_t slot = 0;
  for (int64_t f = 0; f < p->what->frames; f += p->settings->every) {
    liquid_frame frame;
    uint32_t count;
    int code = liquid_at(&p->liquid, f, &frame);
    if (!code) code = choose(p, &frame, &count);
    if (code) return code;
    const size_t before = p->body.length;
    const uint32_t words[2] = {count, count_separating(p, &frame)};
    planes_words(&p->body, &words[0], 1, 4);
    planes_words(&p->body, &words[1], 1, 4);
    put_float(&p->body, frame.top);
    put_solids(p, f);
    put_separating(p, &frame);
    put_particles(p, &frame, count);
    if (fields_of(p)) {
      make_blocks(p, &frame);
      put_pressures(p, &frame, count);
      put_types(p);
      put_cell_pressures(p);
    }
    if (surface_of(p) && replay_surface_put(&p->surface, head_of(p), &frame, p->scale.gap, &p->body))
      return out_of_memory(p);
    if (p->body.length - before > UINT32_MAX) p->body.failed = 1;
    p->length[slot++] = (uint32_t)(p->body.length - before);
  }
  return p->body.failed ? out_of_memory(p) : CODE_OK;
}

// --------------------------------------------------------------------------------------------- all

// What the player shows of a step.
static const uint32_t column[] = {
    RECORD_FLUID_step,     RECORD_FLUID_time,   RECORD_FLUID_liquid,    RECORD_FLUID_separating,
    RECORD_FLUID_particles, RECORD_FLUID_solved, RECORD_FLUID_unsolved, RECORD_FLUID_residual,
    RECORD_FLUID_newton,   RECORD_FLUID_inner,  RECORD_FLUID_divergence, RECORD_FLUID_volume,
    RECORD_FLUID_poured,   RECORD_FLUID_kinetic, RECORD_FLUID_potential, RECORD_FLUID_px,
    RECORD_FLUID_py,       RECORD_FLUID_pz};
enum { COLUMNS = sizeof column/sizeof *column };

static json_t *describe(const packer *p) {
  const double range[2] = {-p->scale.suction, p->scale.pressure};
  json_t *meta = replay_describe(p->what, p->settings, &p->steps, column, COLUMNS);
  json_object_set_new(meta, "frames", json_integer(p->frames));
  json_object_set_new(meta, "levels", json_integer(p->levels));
  json_object_set_new(meta, "solids", json_integer(head_of(p)->moving));
  json_object_set_new(meta, "fields", json_integer(fields_of(p)));
  json_object_set_new(meta, "surface", json_integer(surface_of(p)));
  if (surface_of(p)) replay_surface_describe(&p->surface, meta);
  json_object_set_new(meta, "block", json_integer(p->block));
  json_object_set_new(meta, "most", json_integer(p->most));
  json_object_set_new(meta, "gap", json_number(p->scale.gap*pow(p->stride,
                                                                1.0/head_of(p)->dimension)));
  json_object_set_new(meta, "speed", json_number(p->scale.speed));
  json_object_set_new(meta, "pressure", json_numbers(range, 2));
  return meta;
}

static int allocate(packer *p) {
  const int32_t *n = head_of(p)->liquid.cells;
  p->cells = (size_t)n[0]*(size_t)n[1]*(size_t)n[2];
  p->frames = (p->what->frames + p->settings->every - 1)/p->settings->every;
  p->kept = calloc((size_t)p->scale.most + 1, sizeof *p->kept);
  p->length = calloc((size_t)p->frames + 1, sizeof *p->length);
  choose_block(p);
  p->blocks = calloc(blocks_of(p), sizeof *p->blocks);
  return p->kept && p->length && p->blocks ? CODE_OK : out_of_memory(p);
}

static int encode(packer *p, replay *out) {
  replay_preface(&p->plain, describe(p));
  replay_steps(&p->plain, &p->steps, column, COLUMNS);
  planes_words(&p->plain, p->length, (size_t)p->frames, 4);
  planes_bytes(&p->plain, p->body.data, p->body.length);
  planes_free(&p->body);
  out->text = planes_text(&p->plain, &out->length, settings_threads());
  return out->text ? CODE_OK : out_of_memory(p);
}

// The most that the scene has in a step; of those inside few may have been recorded.
static int64_t particles_of(const packer *p) {
  const double *count = p->steps.column + (size_t)RECORD_FLUID_particles*p->steps.room;
  double most = p->scale.most;
  if (!strcmp(head_of(p)->liquid.keep, "surface"))
    for (uint32_t r = 0; r < p->steps.rows; r++) most = fmax(most, count[r]);
  return (int64_t)most;
}

int replay_liquid(const recording *what, const replay_settings *settings, replay *out) {
  packer p = {.what = what, .settings = settings, .scale = *settings->scale};
  const uint32_t fine = (uint32_t)what->head.liquid.fine;
  const uint32_t levels = what->head.dimension == 2 ? FLAT_PLACES : SPACE_PLACES;
  int times;
  p.levels = fine < levels ? fine : levels;
  liquid_begin(what, &p.liquid);
  int code = recording_statistics(what, &p.steps, &times);
  if (!code) code = allocate(&p);
  if (!code) code = choose_stride(&p);
  if (!code) code = put_frames(&p);
  if (!code) {
    *out = (replay){.frames = p.frames, .bodies = what->head.bodies, .particles = particles_of(&p),
                    .recorded = p.scale.most, .kept = p.most, .steps = p.steps.rows > 0 ? (int64_t)p.steps.rows - 1 : 0,
                    .unsolved = replay_unsolved(&p.steps, RECORD_FLUID_unsolved)};
    code = encode(&p, out);
  }
  liquid_end(&p.liquid);
  record_steps_free(&p.steps);
  planes_free(&p.plain);
  planes_free(&p.body);
  free(p.kept);
  free(p.blocks);
  replay_surface_free(&p.surface);
  free(p.length);
  return code;
}
