// flow.c: FLOW: particles of a liquid and the solids that move in it, in some frames.
//
// A frame holds its particles sorted by cell, and within a cell by place. So their order takes no
// bits, and neighbours are similar. A particle in two dimensions takes 20 bits.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "word_planes.h"

enum { FLOW_HEADER = 32 };   // bytes before the particles

int32_t record_fine(const int32_t cells[3], int32_t wanted) {
  int32_t fine = wanted < RECORD_PLACES ? wanted : RECORD_PLACES, power = 1;
  for (int c = 0; c < 3; c++)
    if (fine > RECORD_PLACES/cells[c]) fine = RECORD_PLACES/cells[c];
  while (2*power <= fine) power *= 2;
  return fine > 0 ? power : 0;
}

static size_t width_of(int32_t fine) { return fine > 256 ? 2 : 1; }

int record_flow_create(const record_flow *like, uint32_t room, record_flow *out) {
  *out = (record_flow){.bodies = like->bodies, .room = room, .dimension = like->dimension,
                       .cells = {like->cells[0], like->cells[1], like->cells[2]},
                       .fine = like->fine};
  out->pose = calloc((size_t)RECORD_POSE*room*like->bodies + 1, sizeof *out->pose);
  out->count = calloc((size_t)room + 1, sizeof *out->count);
  out->top = calloc((size_t)room + 1, sizeof *out->top);
  if (out->pose && out->count && out->top) return RECORD_OK;
  record_flow_free(out);
  return RECORD_IO;
}

float *record_pose(const record_flow *flow, int component, uint32_t frame) {
  return flow->pose + ((size_t)component*flow->room + frame)*flow->bodies;
}

static int reserve(record_flow *flow, uint32_t particles) {
  if (particles <= flow->particle_room) return RECORD_OK;
  for (int c = 0; c < flow->dimension; c++) {
    uint16_t *place = realloc(flow->place[c], (size_t)particles*sizeof *place);
    if (place) flow->place[c] = place;
    int8_t *velocity = realloc(flow->velocity[c], particles);
    if (velocity) flow->velocity[c] = velocity;
    if (!place || !velocity) return RECORD_IO;
  }
  flow->particle_room = particles;
  return RECORD_OK;
}

int record_flow_append(record_flow *to, const record_flow *from) {
  if (from->bodies != to->bodies || from->dimension != to->dimension || from->fine != to->fine ||
      memcmp(from->cells, to->cells, sizeof to->cells) != 0 ||
      from->frames > to->room - to->frames || from->particles > UINT32_MAX/2 - to->particles)
    return RECORD_CORRUPT;
  if (reserve(to, to->particles + from->particles) != RECORD_OK) return RECORD_IO;
  const size_t poses = (size_t)from->frames*from->bodies, count = from->particles;
  for (int c = 0; c < RECORD_POSE && poses > 0; c++)
    memcpy(record_pose(to, c, to->frames), record_pose(from, c, 0), poses*sizeof(float));
  memcpy(to->count + to->frames, from->count, from->frames*sizeof *to->count);
  memcpy(to->top + to->frames, from->top, from->frames*sizeof *to->top);
  for (int c = 0; c < to->dimension && count > 0; c++) {
    memcpy(to->place[c] + to->particles, from->place[c], count*sizeof *to->place[c]);
    memcpy(to->velocity[c] + to->particles, from->velocity[c], count);
  }
  to->frames += from->frames;
  to->particles += from->particles;
  return RECORD_OK;
}

void record_flow_clear(record_flow *flow, uint32_t first) {
  flow->first = first;
  flow->frames = flow->particles = 0;
}

void record_flow_free(record_flow *flow) {
  for (int c = 0; c < 3; c++) {
    free(flow->place[c]);
    free(flow->velocity[c]);
  }
  free(flow->pose);
  free(flow->count);
  free(flow->top);
  *flow = (record_flow){0};
}

uint32_t record_flow_start(const record_flow *flow, uint32_t frame) {
  uint32_t start = 0;
  for (uint32_t f = 0; f < frame; f++) start += flow->count[f];
  return start;
}

// Squares: the slow ones, and directions of the fast ones, are what one sees.
double record_velocity(double top, int8_t velocity) {
  const double part = velocity/(double)RECORD_SPEEDS;
  return top*part*fabs(part);
}

static int8_t round_velocity(double value, double top) {
  const double part = top > 0.0 ? fmin(sqrt(fabs(value)/top), 1.0) : 0.0;
  return (int8_t)copysign(rint(part*RECORD_SPEEDS), value);
}

static uint16_t round_place(double value, double spacing, int32_t cells, int32_t fine) {
  const double last = (double)cells*fine - 1.0;
  return (uint16_t)fmin(fmax(floor(value/spacing*fine), 0.0), last);   // NaN: 0
}

static uint32_t cell_of(const record_flow *flow, const uint16_t place[3]) {
  const uint32_t fine = (uint32_t)flow->fine;
  return ((place[2]/fine)*(uint32_t)flow->cells[1] + place[1]/fine)*(uint32_t)flow->cells[0] +
         place[0]/fine;
}

typedef struct entry {         // a particle to be put into its place
  uint64_t within;             // its place in the cell
  uint32_t cell, from;
} entry;

static int ascending(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->within != y->within) return x->within < y->within ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

// Sorts the particles of a cell: by insertion if there are few, otherwise by qsort().
static void sort_cell(entry *list, uint32_t count) {
  enum { INSERTION_SORT_MAX = 32 };
  if (count > INSERTION_SORT_MAX) {
    qsort(list, count, sizeof *list, ascending);
    return;
  }
  for (uint32_t i = 1; i < count; i++) {
    const entry moved = list[i];
    uint32_t k = i;
    for (; k > 0 && ascending(&list[k - 1], &moved) > 0; k--) list[k] = list[k - 1];
    list[k] = moved;
  }
}

// By cell and by place within; first: cells + 1.
static void sort(const entry *given, uint32_t count, uint32_t *first, size_t cells, entry *out) {
  memset(first, 0, (cells + 1)*sizeof *first);
  for (uint32_t i = 0; i < count; i++) first[given[i].cell + 1]++;
  for (size_t c = 0; c < cells; c++) first[c + 1] += first[c];
  for (uint32_t i = 0; i < count; i++) out[first[given[i].cell]++] = given[i];
  for (uint32_t i = 0; i < count;) {
    const uint32_t end = first[out[i].cell];
    sort_cell(out + i, end - i);
    i = end;
  }
}

int record_flow_add(record_flow *flow, int64_t particles, const double *const x[3],
                    const double *const v[3], double spacing, const uint8_t *keep) {
  const int dimension = flow->dimension;
  const uint32_t fine = (uint32_t)flow->fine;
  const size_t cells = (size_t)flow->cells[0]*(size_t)flow->cells[1]*(size_t)flow->cells[2];
  double top = 0.0;
  if (particles > UINT32_MAX/2 - flow->particles) return RECORD_IO;
  entry *list = malloc(2*(size_t)particles*sizeof *list + 1), *sorted = list + particles;
  uint32_t *first = malloc((cells + 1)*sizeof *first), count = 0;
  for (int64_t i = 0; i < particles && list; i++) {
    uint16_t place[3] = {0};
    uint64_t within = 0;
    if (keep && !keep[i]) continue;
    for (int c = 0; c < dimension; c++) {
      place[c] = round_place(x[c][i], spacing, flow->cells[c], flow->fine);
      if (isfinite(v[c][i])) top = fmax(top, fabs(v[c][i]));
    }
    for (int c = dimension - 1; c >= 0; c--) within = within*fine + place[c] % fine;
    list[count++] = (entry){within, cell_of(flow, place), (uint32_t)i};
  }
  if (!list || !first || reserve(flow, flow->particles + count) != RECORD_OK) {
    free(list);
    free(first);
    return RECORD_IO;
  }
  sort(list, count, first, cells, sorted);
  const uint32_t f = flow->frames++;
  flow->count[f] = count;
  flow->top[f] = (float)fmin(top, 1e30);
  for (uint32_t k = 0; k < count; k++, flow->particles++) {
    const uint32_t i = sorted[k].from;
    for (int c = 0; c < dimension; c++) {
      flow->place[c][flow->particles] = round_place(x[c][i], spacing, flow->cells[c], flow->fine);
      flow->velocity[c][flow->particles] =
          round_velocity(isfinite(v[c][i]) ? v[c][i] : 0.0, (double)flow->top[f]);
    }
  }
  free(list);
  free(first);
  return RECORD_OK;
}

static uint64_t flow_bytes(const record_flow *like, uint64_t frames, uint64_t particles) {
  const uint64_t each = 4 + (uint64_t)like->dimension*(width_of(like->fine) + 1);
  return FLOW_HEADER + 4*RECORD_POSE*frames*like->bodies + 8*frames + each*particles;
}

int flow_encode(const record_flow *flow, record_bytes *out) {
  const size_t poses = (size_t)flow->frames*flow->bodies, count = flow->particles;
  const size_t width = width_of(flow->fine);
  uint32_t *words = malloc((poses > count ? poses : count)*sizeof *words + 4);
  if (!words || bytes_reserve(out, flow_bytes(flow, flow->frames, count)) != RECORD_OK) {
    free(words);
    return RECORD_IO;
  }
  unsigned char *at = out->data;
  const uint32_t header[] = {flow->frames, flow->bodies, flow->particles,
                             (uint32_t)flow->dimension, (uint32_t)flow->fine,
                             (uint32_t)flow->cells[0], (uint32_t)flow->cells[1],
                             (uint32_t)flow->cells[2]};
  for (int k = 0; k < FLOW_HEADER/4; k++, at += 4) put32(at, header[k]);
  for (int c = 0; c < RECORD_POSE; c++, at += 4*poses) {
    if (poses > 0) memcpy(words, record_pose(flow, c, 0), 4*poses);
    plane_difference(words, flow->frames, flow->bodies);
    plane_pack(words, poses, 4, at);
  }
  for (uint32_t f = 0; f < flow->frames; f++, at += 4) put32(at, flow->count[f]);
  for (uint32_t f = 0; f < flow->frames; f++, at += 4) {
    uint32_t word;
    memcpy(&word, &flow->top[f], 4);
    put32(at, word);
  }
  size_t i = 0;
  for (uint32_t f = 0; f < flow->frames; f++) {
    uint32_t before = 0;
    for (uint32_t k = 0; k < flow->count[f]; k++, i++) {
      const uint16_t place[3] = {flow->place[0][i], flow->place[1][i],
                                 flow->dimension > 2 ? flow->place[2][i] : 0};
      const uint32_t cell = cell_of(flow, place);
      words[i] = cell - before;
      before = cell;
    }
  }
  plane_pack(words, count, 4, at);
  at += 4*count;
  for (int c = 0; c < flow->dimension; c++) {
    const uint32_t fine = (uint32_t)flow->fine;
    for (size_t byte = 0; byte < width; byte++)
      for (i = 0; i < count; i++) *at++ = (unsigned char)(flow->place[c][i] % fine >> 8*byte);
  }
  for (int c = 0; c < flow->dimension; c++) {
    i = 0;
    for (uint32_t f = 0; f < flow->frames; f++) {
      uint32_t before = 0;
      for (uint32_t k = 0; k < flow->count[f]; k++, i++) {
        const uint32_t now = (uint32_t)flow->velocity[c][i];
        *at++ = (unsigned char)fold(now - before, 1);
        before = now;
      }
    }
  }
  free(words);
  return RECORD_OK;
}

// ---------------------------------------------------------------------------------------- reading

// The header's numbers against each other and the size of the data; then they are safe to use.
static int check_header(const record_bytes *plain, const record_chunk *chunk, record_flow *like,
                        char *message, size_t size) {
  if (plain->length < FLOW_HEADER) {
    snprintf(message, size, "FLOW has only %zu bytes", plain->length);
    return RECORD_CORRUPT;
  }
  uint32_t word[FLOW_HEADER/4];
  for (int k = 0; k < FLOW_HEADER/4; k++) word[k] = get32(plain->data + 4*k);
  const uint32_t frames = word[0], bodies = word[1], particles = word[2], fine = word[4];
  if (frames != chunk->count) {
    snprintf(message, size, "FLOW has %lu frames, its header says %lu", (unsigned long)frames,
             (unsigned long)chunk->count);
    return RECORD_CORRUPT;
  }
  int good = (word[3] == 2 || word[3] == 3) && fine > 0 && fine <= RECORD_PLACES &&
             (fine & (fine - 1)) == 0 && (word[3] == 3 || word[7] == 1);
  for (int c = 0; c < 3; c++)
    good = good && word[5 + c] > 0 && (uint64_t)word[5 + c]*fine <= RECORD_PLACES;
  if (!good || (uint64_t)word[5]*word[6]*word[7] > INT32_MAX) {
    snprintf(message, size, "FLOW has %lu dimensions, %lu x %lu x %lu cells, %lu places a cell",
             (unsigned long)word[3], (unsigned long)word[5], (unsigned long)word[6],
             (unsigned long)word[7], (unsigned long)fine);
    return RECORD_CORRUPT;
  }
  *like = (record_flow){.frames = frames, .bodies = bodies, .particles = particles,
                        .dimension = (int32_t)word[3], .fine = (int32_t)fine,
                        .cells = {(int32_t)word[5], (int32_t)word[6], (int32_t)word[7]}};
  // Factors below 2^28, or the sizes cannot agree: what they give is exact in 64 bits.
  const int fits = frames <= RECORD_PLAIN_MAX && bodies <= RECORD_PLAIN_MAX;
  if (!fits || flow_bytes(like, frames, particles) != plain->length) {
    snprintf(message, size, "FLOW of %lu frames, %lu bodies and %lu particles does not have %zu "
             "bytes", (unsigned long)frames, (unsigned long)bodies, (unsigned long)particles,
             plain->length);
    return RECORD_CORRUPT;
  }
  return RECORD_OK;
}

static int poses_decode(const unsigned char *at, record_flow *out, char *message, size_t size) {
  const size_t poses = (size_t)out->frames*out->bodies;
  uint32_t *words = malloc(4*poses + 4);
  if (!words) return RECORD_IO;
  for (int c = 0; c < RECORD_POSE; c++, at += 4*poses) {
    plane_unpack(at, poses, 4, words);
    plane_sum(words, out->frames, out->bodies);
    if (poses > 0) memcpy(record_pose(out, c, 0), words, 4*poses);
  }
  free(words);
  for (size_t i = 0; i < RECORD_POSE*poses; i++) {
    if (isfinite(out->pose[i])) continue;
    snprintf(message, size, "a solid's position is not finite");
    return RECORD_CORRUPT;
  }
  return RECORD_OK;
}

static int counts_decode(const unsigned char *at, uint32_t particles, record_flow *out,
                         char *message, size_t size) {
  uint64_t sum = 0;
  for (uint32_t f = 0; f < out->frames; f++, at += 4) sum += out->count[f] = get32(at);
  if (sum != particles) {
    snprintf(message, size, "the particles of the frames add up to %llu, not %lu",
             (unsigned long long)sum, (unsigned long)particles);
    return RECORD_CORRUPT;
  }
  for (uint32_t f = 0; f < out->frames; f++, at += 4) {
    const uint32_t word = get32(at);
    memcpy(&out->top[f], &word, 4);
    if (isfinite(out->top[f]) && out->top[f] >= 0.0f) continue;
    snprintf(message, size, "the largest velocity of frame %lu is %g", (unsigned long)f,
             (double)out->top[f]);
    return RECORD_CORRUPT;
  }
  return RECORD_OK;
}

// Cells ascend within a frame; a place within its cell is below `fine`.
static int places_decode(const unsigned char *at, record_flow *out, char *message, size_t size) {
  const size_t count = out->particles, width = width_of(out->fine);
  const unsigned char *within = at + 4*count;
  const uint32_t fine = (uint32_t)out->fine, nx = (uint32_t)out->cells[0],
                 ny = (uint32_t)out->cells[1];
  const uint64_t cells = (uint64_t)nx*ny*(uint32_t)out->cells[2];
  size_t i = 0;
  for (uint32_t f = 0; f < out->frames; f++) {
    uint64_t cell = 0;
    for (uint32_t k = 0; k < out->count[f]; k++, i++) {
      uint32_t difference = 0;
      for (size_t byte = 4; byte-- > 0;) difference = difference << 8 | at[byte*count + i];
      cell += difference;
      const uint32_t of[3] = {(uint32_t)(cell % nx), (uint32_t)(cell/nx % ny),
                              (uint32_t)(cell/nx/ny)};
      int good = cell < cells;
      for (int c = 0; c < out->dimension && good; c++) {
        uint32_t place = within[(size_t)c*width*count + i];
        if (width > 1) place |= (uint32_t)within[((size_t)c*width + 1)*count + i] << 8;
        good = place < fine;
        out->place[c][i] = (uint16_t)(of[c]*fine + place);
      }
      if (good) continue;
      snprintf(message, size, "particle %lu of frame %lu is not in the grid", (unsigned long)k,
               (unsigned long)f);
      return RECORD_CORRUPT;
    }
  }
  return RECORD_OK;
}

static int velocities_decode(const unsigned char *at, record_flow *out, char *message,
                             size_t size) {
  for (int c = 0; c < out->dimension; c++) {
    size_t i = 0;
    for (uint32_t f = 0; f < out->frames; f++) {
      uint32_t value = 0;
      for (uint32_t k = 0; k < out->count[f]; k++, i++) {
        value = (value + unfold(*at++, 1)) & 255;
        out->velocity[c][i] = (int8_t)(value < 128 ? (int)value : (int)value - 256);
        if (value != 128) continue;
        snprintf(message, size, "particle %lu of frame %lu is faster than the fastest",
                 (unsigned long)k, (unsigned long)f);
        return RECORD_CORRUPT;
      }
    }
  }
  return RECORD_OK;
}

int flow_check(const record_bytes *plain, const record_chunk *chunk, char *message, size_t size) {
  record_flow like;
  return check_header(plain, chunk, &like, message, size);
}

int flow_decode(const record_bytes *plain, const record_chunk *chunk, record_flow *out,
                char *message, size_t size) {
  record_flow like;
  *out = (record_flow){0};
  int code = check_header(plain, chunk, &like, message, size);
  if (code) return code;
  if (record_flow_create(&like, like.frames, out) != RECORD_OK) return RECORD_IO;
  out->first = chunk->first;
  out->frames = like.frames;
  out->particles = like.particles;
  if (reserve(out, like.particles) != RECORD_OK) {
    record_flow_free(out);
    return RECORD_IO;
  }
  const unsigned char *at = plain->data + FLOW_HEADER;
  code = poses_decode(at, out, message, size);
  at += 4*RECORD_POSE*(size_t)like.frames*like.bodies;
  if (!code) code = counts_decode(at, like.particles, out, message, size);
  at += 8*(size_t)like.frames;
  if (!code) code = places_decode(at, out, message, size);
  at += (4 + (size_t)like.dimension*width_of(like.fine))*like.particles;
  if (!code) code = velocities_decode(at, out, message, size);
  if (code) record_flow_free(out);
  return code;
}
