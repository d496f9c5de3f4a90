// run_bodies_film.c: frames of bodies: motions, and contacts with their impulses.
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "run_films.h"

enum {
  FRAME_CONTACTS_MAX = 5000,   // with --contacts auto
  SPAN_CONTACTS_MAX = 2000000  // of all frames of a chunk: 100 MB
};

typedef struct body_film {
  const perp_world *world;
  record_frames frames;
  int32_t *mover;              // frames.bodies: which bodies move
  double quantum;
  int exact;
  film_contacts contacts;
} body_film;

double film_bytes_of_bodies(int32_t moving) { return 4.0*RECORD_COMPONENTS*(moving + 1.0); }

static int add_touches(body_film *what) {
  int32_t count;
  const perp_touch *touch = perp_world_touches(what->world, &count);
  record_frames *frames = &what->frames;
  if (what->contacts == CONTACTS_NONE ||
      (what->contacts == CONTACTS_AUTO && count > FRAME_CONTACTS_MAX) ||
      frames->touch_count + (int64_t)count > SPAN_CONTACTS_MAX) {
    frames->touches[frames->frames - 1] = RECORD_NO_TOUCHES;
    return CODE_OK;
  }
  const double least = what->exact ? -1.0 : 0.0, narrow = what->exact ? -1.0 : what->quantum/256.0;
  for (int32_t i = 0; i < count; i++, touch++) {
    record_touch row = {.a = (uint32_t)touch->a, .b = (uint32_t)touch->b,
                        .flags = touch->solved ? 0 : RECORD_UNSOLVED,
                        .gap = record_round_bits(touch->gap, narrow)};
    for (int c = 0; c < 3; c++) {
      const double impulse = touch->normal_impulse*touch->normal[c] + touch->friction_impulse[c];
      row.point[c] = record_round(touch->point[c], what->quantum);
      row.normal[c] = record_round_bits(touch->normal[c], least);
      row.impulse[c] = record_round_bits(impulse, least);
    }
    if (record_frames_touch(frames, &row)) return fail(CODE_IO, "out of memory for the contacts");
  }
  return CODE_OK;
}

static int add(void *self, int64_t step) {
  body_film *what = self;
  const perp_motion *motion = perp_world_motions(what->world);
  record_frames *frames = &what->frames;
  const uint32_t f = frames->frames++;
  const double turn = what->exact ? 0.0 : 0x1p-15;
  const double slow = what->exact ? -1.0 : what->quantum, slow_turn = what->exact ? -1.0 : 0x1p-17;
  for (uint32_t i = 0; i < frames->bodies; i++) {
    const perp_motion *m = &motion[what->mover[i]];
    for (int c = 0; c < 3; c++) {
      record_frame(frames, c, f)[i] = record_round(m->position[c], what->quantum);
      record_frame(frames, 7 + c, f)[i] = record_round_bits(m->velocity[c], slow);
      record_frame(frames, 10 + c, f)[i] = record_round_bits(m->spin[c], slow_turn);
    }
    for (int c = 0; c < 4; c++)
      record_frame(frames, 3 + c, f)[i] = record_round(m->orientation[c], turn);
  }
  return step > 0 ? add_touches(what) : CODE_OK;
}

static uint32_t waiting(const void *self) { return ((const body_film *)self)->frames.frames; }

static int write_frames(const void *self, record_writer *writer, char *message, size_t size) {
  return record_write_frames(writer, &((const body_film *)self)->frames, message, size);
}

static int restore(void *self, const void *bytes, const record_index *index, int32_t k,
                   char *message, size_t size) {
  record_frames frames;
  if (index->chunk[k].type != RECORD_FRAM) return RECORD_OK;
  int code = record_read_frames(bytes, index, k, &frames, message, size);
  if (!code) code = record_frames_append(&((body_film *)self)->frames, &frames);
  record_frames_free(&frames);
  return code;
}

static void clear(void *self, uint32_t first) {
  record_frames_clear(&((body_film *)self)->frames, first);
}

static size_t save(const void *self, void *memory, size_t size) {
  return perp_world_save(((const body_film *)self)->world, memory, size);
}

static void destroy(void *self) {
  body_film *what = self;
  record_frames_free(&what->frames);
  free(what->mover);
  free(what);
}

int film_of_bodies(const perp_world *world, const recording_head *about, double quantum, int exact,
                   film_contacts contacts, film *out) {
  const size_t moving = (size_t)about->moving;
  body_film *what = calloc(1, sizeof *what);
  *out = (film){what, add, waiting, write_frames, restore, clear, save, destroy};
  if (what) what->mover = malloc((moving + 1)*sizeof *what->mover);
  if (!what || !what->mover ||
      record_frames_create((uint32_t)moving, (uint32_t)about->span, &what->frames))
    return fail(CODE_IO, "out of memory for the frames");
  memcpy(what->mover, about->mover, moving*sizeof *what->mover);
  what->world = world;
  what->quantum = quantum;
  what->exact = exact;
  what->contacts = contacts;
  return CODE_OK;
}
