// drawing.c: a recording as scenes to be drawn: any moment of it, in colours.
#include "drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "quantiles.h"

enum { IMPULSE_SAMPLE_ROOM = 1 << 14 };   // impulses from which the typical one is estimated

// The colours of the player (viewer/src/colours.js).
static const uint32_t group_colours[DRAWING_HUES] = {
    0x3d7bd9, 0xef8b2c, 0x2fa37c, 0xc65f9f, 0xe3b92f, 0x7a6fd0, 0x59b4d9, 0xb5654a, 0x8fae3d,
    0x8592a6};
static const uint32_t ramp[] = {0x4a5fc1, 0x3f8fc9, 0x41b3a6, 0x8ccb72, 0xe5d24f, 0xf29b38,
                                0xd8432f};
static const uint32_t fixed_colour = 0xc3cad4;

static void colour_of(uint32_t hex, double light, float out[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = (float)fmin(light*(double)(hex >> (16 - 8*c) & 255)/255.0, 1.0);
}

void drawing_ramp(double part, float colour[3]) {
  enum { LAST = sizeof ramp/sizeof *ramp - 1 };
  const double x = fmin(fmax(part, 0.0), 1.0)*LAST;
  const int i = x < LAST ? (int)x : LAST - 1;
  float low[3], high[3];
  colour_of(ramp[i], 1.0, low);
  colour_of(ramp[i + 1], 1.0, high);
  for (int c = 0; c < 3; c++) colour[c] = low[c] + (float)(x - i)*(high[c] - low[c]);
}

double drawing_interval(const drawing *what) {
  return what->recording.head.dt*(double)what->recording.head.every;
}

static double length_of(const float v[3]) {
  return sqrt((double)v[0]*v[0] + (double)v[1]*v[1] + (double)v[2]*v[2]);
}

// ---------------------------------------------------------------------------- a look at all of it

// What is in the ball that is worth seeing; what has flown away is not followed.
static int add_item(drawing *what, const recording_body *body, const double at[3]) {
  const recording_head *head = &what->recording.head;
  const double *e = body->extent;
  if (body->shape == RENDER_PLANE) return 0;
  const double reach = body->shape == RENDER_BOX ? hypot(hypot(e[0], e[1]), e[2]) : e[0];
  const double away = hypot(hypot(at[0] - head->center[0], at[1] - head->center[1]),
                            at[2] - head->center[2]);
  if (!(away <= 1.3*head->radius) || (body->fixed && reach > 1.5*head->radius)) return 0;
  if (what->items == what->item_room) {
    const int32_t room = 2*what->item_room + 1024;
    render_item *larger = realloc(what->item, (size_t)room*sizeof *larger);
    if (!larger) return 1;
    what->item = larger;
    what->item_room = room;
  }
  what->item[what->items++] = (render_item){{at[0], at[1], at[2]}, reach};
  return 0;
}

static int frame_items(drawing *what, const record_frames *frames, uint32_t f) {
  const recording_head *head = &what->recording.head;
  for (int32_t i = 0; i < head->moving; i++) {
    const double at[3] = {record_frame(frames, 0, f)[i], record_frame(frames, 1, f)[i],
                          record_frame(frames, 2, f)[i]};
    if (add_item(what, &head->body[head->mover[i]], at)) return 1;
  }
  return 0;
}

static void scan_frames(drawing *what, const record_frames *frames, sample *impulses) {
  double top = 0.0;            // squared
  for (uint32_t f = 0; f < frames->frames; f++) {
    const float *v[3] = {record_frame(frames, 7, f), record_frame(frames, 8, f),
                         record_frame(frames, 9, f)};
    for (uint32_t i = 0; i < frames->bodies; i++) {
      const double square = (double)v[0][i]*v[0][i] + (double)v[1][i]*v[1][i] +
                            (double)v[2][i]*v[2][i];
      if (square > top && isfinite(square)) top = square;
    }
  }
  what->top_speed = fmax(what->top_speed, sqrt(top));
  for (uint32_t i = 0; i < frames->touch_count; i++) {
    const double impulse = length_of(frames->touch[i].impulse);
    if (impulse > 0.0) quantiles_add(impulses, impulse);
  }
}

static int scan(drawing *what, int all) {
  const recording *file = &what->recording;
  sample *impulses = calloc(1, sizeof *impulses);
  int32_t chunks = 0, seen = 0;
  int code = impulses ? CODE_OK : fail(CODE_IO, "out of memory");
  for (int32_t k = 0; k < file->index.count; k++)
    chunks += file->index.chunk[k].type == RECORD_FRAM;
  if (!code) quantiles_begin(impulses, IMPULSE_SAMPLE_ROOM);
  for (int32_t k = 0; k < file->index.count && !code; k++) {
    if (file->index.chunk[k].type != RECORD_FRAM) continue;
    const int32_t stride = chunks/8 + 1;
    const int last = ++seen == chunks;
    if (!all && (seen - 1) % stride && !last) continue;
    record_frames frames;
    code = recording_frames(file, k, &frames);
    if (code) break;
    int bad = 0;
    if ((seen - 1) % stride == 0 && frames.frames > 0) bad = frame_items(what, &frames, 0);
    if (last && frames.frames > 0) bad = bad || frame_items(what, &frames, frames.frames - 1);
    if (all) scan_frames(what, &frames, impulses);
    record_frames_free(&frames);
    if (bad) code = fail(CODE_IO, "out of memory");
  }
  for (int32_t i = 0; i < file->head.bodies && !code; i++) {
    const recording_body *body = &file->head.body[i];
    if (body->fixed && add_item(what, body, body->position)) code = fail(CODE_IO, "out of memory");
  }
  const recording_body middle = {.extent = {0.5*file->head.radius}};   // or it would be too close
  if (!code && what->items > 0 && add_item(what, &middle, file->head.center))
    code = fail(CODE_IO, "out of memory");
  if (!code && impulses->count > 0) what->typical_impulse = quantiles_quantile(impulses, 0.97);
  free(impulses);
  return code;
}

// ---------------------------------------------------------------------------------------- opening

static void set_scene(drawing *what) {
  const recording_head *head = &what->recording.head;
  render_scene *scene = &what->scene;
  scene->dimension = head->dimension;
  scene->bodies = head->bodies;
  scene->body = what->body;
  scene->radius = head->radius > 0.0 ? head->radius : 1.0;
  memcpy(scene->center, head->center, sizeof scene->center);
  const double g = hypot(hypot(head->gravity[0], head->gravity[1]), head->gravity[2]);
  for (int c = 0; c < 3; c++)
    scene->up[c] = g > 0.0 ? -head->gravity[c]/g : c == 1 ? 1.0 : 0.0;
  for (int32_t i = 0; i < head->bodies; i++) {
    const recording_body *from = &head->body[i];
    render_body *body = &what->body[i];
    *body = (render_body){.shape = from->shape, .fixed = from->fixed, .offset = from->offset};
    memcpy(body->extent, from->extent, sizeof body->extent);
    memcpy(body->position, from->position, sizeof body->position);
    memcpy(body->orientation, from->orientation, sizeof body->orientation);
    colour_of(fixed_colour, 1.0, body->colour);
    what->slot[i] = -1;
  }
  what->apart = 1;
  for (int32_t k = 0; k < head->moving; k++) {
    what->slot[head->mover[k]] = k;
    if (head->body[head->mover[k]].group != head->body[head->mover[0]].group) what->apart = 0;
  }
}

int drawing_open(const char *path, int all, drawing *out) {
  *out = (drawing){.part = {{.chunk = -1}, {.chunk = -1}}};
  int code = recording_open(path, &out->recording);
  if (code) return code;
  const size_t bodies = (size_t)out->recording.head.bodies + 1;
  out->body = calloc(bodies, sizeof *out->body);
  out->load = calloc(bodies, sizeof *out->load);
  out->slot = calloc(bodies, sizeof *out->slot);
  if (out->recording.frames == 0)
    code = fail(CODE_INPUT, "%s: there is no whole frame in it", out->recording.path);
  else if (!out->body || !out->load || !out->slot) code = fail(CODE_IO, "out of memory");
  if (!code) code = recording_statistics(&out->recording, &out->statistics, &out->times);
  if (!code) {
    set_scene(out);
    code = out->recording.head.fluid ? drawing_liquid_open(out) : scan(out, all);
  }
  if (code) drawing_close(out);
  return code;
}

void drawing_close(drawing *what) {
  for (int k = 0; k < 2; k++)
    if (what->part[k].chunk >= 0) record_frames_free(&what->part[k].frames);
  record_steps_free(&what->statistics);
  drawing_liquid_close(what);
  free(what->body);
  free(what->load);
  free(what->slot);
  free(what->item);
  recording_close(&what->recording);
  *what = (drawing){.part = {{.chunk = -1}, {.chunk = -1}}};
}

// --------------------------------------------------------------------------------------- a moment

static int frames_of(drawing *what, int64_t frame, const record_frames **out, uint32_t *within) {
  const int32_t chunk = recording_chunk(&what->recording, frame, within);
  drawing_part *part = what->part[0].used < what->part[1].used ? &what->part[0] : &what->part[1];
  for (int k = 0; k < 2; k++)
    if (what->part[k].chunk == chunk) part = &what->part[k];
  if (part->chunk != chunk) {
    if (part->chunk >= 0) record_frames_free(&part->frames);
    part->chunk = -1;
    const int code = recording_frames(&what->recording, chunk, &part->frames);
    if (code) return code;
    part->chunk = chunk;
  }
  part->used = ++what->clock;
  *out = &part->frames;
  return CODE_OK;
}

static void take_touches(drawing *what, const record_frames *frames, uint32_t f, int loads) {
  what->touch = frames->touch;
  for (uint32_t k = 0; k < f; k++)
    if (frames->touches[k] != RECORD_NO_TOUCHES) what->touch += frames->touches[k];
  what->touches = frames->touches[f];
  if (!loads) return;
  memset(what->load, 0, (size_t)what->recording.head.bodies*sizeof *what->load);
  if (what->touches == RECORD_NO_TOUCHES) return;
  for (uint32_t k = 0; k < what->touches; k++) {
    const float size = (float)length_of(what->touch[k].impulse);
    what->load[what->touch[k].a] += size;
    what->load[what->touch[k].b] += size;
  }
}

// Between two frames bodies go straight, and turn the shorter way.
static void place_body(render_body *body, int32_t k, const record_frames *from, uint32_t f,
                       const record_frames *to, uint32_t g, double blend) {
  double q[4], dot = 0.0;
  for (int c = 0; c < 4; c++)
    dot += (double)record_frame(from, 3 + c, f)[k]*record_frame(to, 3 + c, g)[k];
  for (int c = 0; c < 4; c++) {
    const double a = record_frame(from, 3 + c, f)[k], b = record_frame(to, 3 + c, g)[k];
    q[c] = a + blend*((dot < 0.0 ? -b : b) - a);
  }
  memcpy(body->orientation, q, sizeof q);
  for (int c = 0; c < 3; c++) {
    const double a = record_frame(from, c, f)[k], b = record_frame(to, c, g)[k];
    body->position[c] = a + blend*(b - a);
  }
}

int32_t drawing_hue(const drawing *what, int32_t k) {
  const recording_head *head = &what->recording.head;
  return (what->apart ? k : head->body[head->mover[k]].group) % DRAWING_HUES;
}

// Neighbours of one group differ a little in lightness; the root shows what is slow, too.
static void paint(drawing *what, drawing_colour colour, int32_t k, const float speed[3]) {
  const recording_head *head = &what->recording.head;
  const int32_t i = head->mover[k];
  float *out = what->body[i].colour;
  const double golden = 0.618034*k;
  if (colour == DRAWING_GROUP) {
    colour_of(group_colours[drawing_hue(what, k)], 0.88 + 0.24*(golden - floor(golden)), out);
    return;
  }
  const double top = colour == DRAWING_SPEED ? what->top_speed : 2.0*what->typical_impulse;
  const double value = colour == DRAWING_SPEED ? length_of(speed) : (double)what->load[i];
  drawing_ramp(top > 0.0 ? sqrt(value/top) : 0.0, out);
}

int drawing_at(drawing *what, double place, drawing_colour colour) {
  if (what->recording.head.fluid) return drawing_liquid_at(what, place, colour);
  const recording_head *head = &what->recording.head;
  const int64_t last = what->recording.frames - 1;
  place = fmin(fmax(place, 0.0), (double)last);
  const int64_t frame = (int64_t)floor(place + 1e-6), next = frame < last ? frame + 1 : last;
  const double blend = fmax(place - (double)frame, 0.0);
  const record_frames *from, *to;
  uint32_t f, g;
  int code = frames_of(what, frame, &from, &f);
  if (code) return code;
  to = from, g = f;
  if (blend > 1e-6) code = frames_of(what, next, &to, &g);
  if (code) return code;
  what->frame = frame;
  what->now = from;
  what->within = f;
  take_touches(what, from, f, colour == DRAWING_IMPULSE);
  for (int32_t k = 0; k < head->moving; k++) {
    const float speed[3] = {record_frame(from, 7, f)[k], record_frame(from, 8, f)[k],
                            record_frame(from, 9, f)[k]};
    place_body(&what->body[head->mover[k]], k, from, f, to, g, blend);
    if (colour != DRAWING_NONE) paint(what, colour, k, speed);
  }
  return CODE_OK;
}

int64_t drawing_row(const drawing *what) { return what->frame*what->recording.head.every; }

double drawing_value(const drawing *what, uint32_t column) {
  const int64_t row = drawing_row(what);
  const record_steps *steps = &what->statistics;
  return row < (int64_t)steps->rows ? steps->column[(size_t)column*steps->room + (size_t)row]
                                    : (double)NAN;
}

int64_t drawing_particles(const drawing *what) {
  const double all = drawing_value(what, RECORD_FLUID_particles), recorded = what->wet.count;
  if (strcmp(what->recording.head.liquid.keep, "surface") != 0) return what->wet.count;
  return (int64_t)fmax(all, recorded);
}

int64_t drawing_unsolved(const drawing *what, int64_t since, int64_t *first) {
  const record_steps *steps = &what->statistics;
  const size_t column = what->recording.head.fluid ? (size_t)RECORD_FLUID_unsolved
                                                   : (size_t)RECORD_COLUMN_unsolved;
  const double *unsolved = steps->column + column*steps->room;
  int64_t count = 0;
  for (int64_t r = since + 1; r <= drawing_row(what) && r < (int64_t)steps->rows; r++) {
    if (r < 0 || !(unsolved[r] > 0.0)) continue;
    if (count++ == 0) *first = r;
  }
  return count;
}

void drawing_share(drawing *a, drawing *b) {
  if (strcmp(a->recording.head.scene, b->recording.head.scene) != 0) return;
  a->top_speed = b->top_speed = fmax(a->top_speed, b->top_speed);
  a->typical_impulse = b->typical_impulse = fmax(a->typical_impulse, b->typical_impulse);
  liquid_share(&a->scale, &b->scale);
}
