// test_record.c: recordings against an independent reader of docs/recording.md, cut and damaged
// files, full disks.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording_bytes.h"

#include <record.h>

enum { BODIES = 3, FRAMES = 5, SPANS = 3 };
static const char head[] = "{\"perp\":1}", last[] = "{\"complete\":true}";
static char path[] = "/tmp/test_record_XXXXXX";   // mkstemp fills it in

// Values that no rounding touches, of both signs and many sizes.
static float value_at(int component, int frame, int body) {
  return (float)(sin(1.0 + component + 13.0*body + 0.1*frame)*pow(10.0, component % 5 - 2));
}
static uint32_t touches_at(int frame) {   // the third frame of each span was left out
  return frame % FRAMES == 2 ? RECORD_NO_TOUCHES : frame == 0 ? 0 : (uint32_t)(frame % 4);
}
static record_touch touch_at(int frame, int k) {
  record_touch touch = {.a = (uint32_t)k, .b = (uint32_t)k + 1, .flags = (uint32_t)frame % 2,
                        .gap = -0.5f};
  for (int c = 0; c < 3; c++) {
    touch.point[c] = (float)(frame + c);
    touch.normal[c] = c == k % 3;
    touch.impulse[c] = 0.1f*(float)(frame*k + c);
  }
  return touch;
}
static double row_at(int column, int row) { return column == 0 ? row : row + 0.1*column; }

static void add_frame(record_frames *frames, int frame) {
  const uint32_t f = frames->frames++;
  for (int c = 0; c < RECORD_COMPONENTS; c++)
    for (int i = 0; i < BODIES; i++) record_frame(frames, c, f)[i] = value_at(c, frame, i);
  if (touches_at(frame) == RECORD_NO_TOUCHES) {
    frames->touches[f] = RECORD_NO_TOUCHES;
    return;
  }
  for (uint32_t k = 0; k < touches_at(frame); k++) {
    const record_touch touch = touch_at(frame, (int)k);
    assert_int_equal(record_frames_touch(frames, &touch), RECORD_OK);
  }
}

static void add_row(record_steps *steps, int row) {
  double values[RECORD_COLUMNS];
  record_point point[2] = {{0, 0.5f}, {(uint32_t)row, -8.0f}};
  for (int c = 0; c < RECORD_COLUMNS; c++) values[c] = row_at(c, row);
  assert_int_equal(record_steps_add(steps, values, 0.25*row, point, (uint32_t)row % 3), RECORD_OK);
}

// Spans from `span` on, then the end; 0 or the writer's code.
static int write_spans(record_writer *writer, int span, char *message, size_t size) {
  record_frames frames;
  record_steps steps;
  assert_int_equal(record_frames_create(BODIES, FRAMES, &frames), RECORD_OK);
  assert_int_equal(record_steps_create(RECORD_COLUMNS, 2, &steps), RECORD_OK);   // it grows
  int code = RECORD_OK;
  for (; span < SPANS && !code; span++) {
    record_frames_clear(&frames, (uint32_t)(span*FRAMES));
    record_steps_clear(&steps, (uint32_t)(span*FRAMES));
    for (int f = span*FRAMES; f < (span + 1)*FRAMES; f++) add_frame(&frames, f), add_row(&steps, f);
    code = record_write_frames(writer, &frames, message, size);
    if (!code) code = record_write_steps(writer, &steps, span == 1, message, size);
    const uint32_t step = (uint32_t)((span + 1)*FRAMES - 1);
    if (!code) code = record_write(writer, RECORD_SAVE, step, 0, "state", 5, message, size);
  }
  if (!code) code = record_write(writer, RECORD_LAST, 0, 0, last, sizeof last - 1, message, size);
  record_frames_free(&frames);
  record_steps_free(&steps);
  return code;
}

static int write_file(const char *name, char *message, size_t size) {
  record_writer *writer;
  int code = record_create(name, &writer, message, size);
  if (code) return code;
  code = record_write(writer, RECORD_HEAD, 0, 0, head, sizeof head - 1, message, size);
  if (!code) code = write_spans(writer, 0, message, size);
  const int closed = record_close(writer, message, size);
  return code ? code : closed;
}

static bytes whole_file(void) {
  char message[256] = "";
  if (write_file(path, message, sizeof message) != RECORD_OK) fail_msg("%s", message);
  return read_file(path);
}

// ---- the format, read by the words of docs/recording.md ----

static void check_frames(const unsigned char *plain, uint32_t length, int first) {
  const size_t m = FRAMES*BODIES;
  assert_int_equal(u32(plain), FRAMES);
  assert_int_equal(u32(plain + 4), BODIES);
  const uint32_t contacts = u32(plain + 8);
  assert_int_equal(u32(plain + 12), 0);
  const unsigned char *at = plain + 16;
  for (int c = 0; c < 13; c++, at += 4*m) {
    for (int i = 0; i < BODIES; i++) {
      uint32_t word = 0;
      for (int f = 0; f < FRAMES; f++) {
        word = (uint32_t)(word + signed_of(plane_word(at, m, (size_t)(f*BODIES + i), 4)));
        assert_true(as_float(word) == value_at(c, first + f, i));
      }
    }
  }
  uint32_t sum = 0;
  for (int f = 0; f < FRAMES; f++, at += 4) {
    assert_int_equal(u32(at), touches_at(first + f));
    if (u32(at) != UINT32_MAX) sum += u32(at);
  }
  assert_int_equal(sum, contacts);
  uint32_t k = 0;
  for (int f = 0; f < FRAMES; f++) {
    for (int j = 0; touches_at(first + f) != UINT32_MAX && j < (int)touches_at(first + f); j++) {
      const record_touch touch = touch_at(first + f, j);
      assert_int_equal(plane_word(at, contacts, k, 4), touch.a);
      assert_int_equal(plane_word(at + 4*contacts, contacts, k, 4), touch.b);
      assert_int_equal(plane_word(at + 8*contacts, contacts, k, 4), touch.flags);
      const float expected[10] = {touch.point[0], touch.point[1], touch.point[2], touch.normal[0],
                                  touch.normal[1], touch.normal[2], touch.gap, touch.impulse[0],
                                  touch.impulse[1], touch.impulse[2]};
      for (uint32_t c = 0; c < 10; c++)
        assert_true(as_float(plane_word(at + (12 + 4*c)*contacts, contacts, k, 4)) == expected[c]);
      k++;
    }
  }
  assert_ptr_equal(at + 52*contacts, plain + length);
}

static double plane_double(const unsigned char *plane, size_t m, size_t i) {
  uint64_t word = 0;
  for (int k = 0; k < 8; k++) word += (uint64_t)plane[(size_t)k*m + i] << 8*k;
  double value;
  memcpy(&value, &word, 8);
  return value;
}

static void check_rows(const unsigned char *plain, uint32_t length, int first) {
  assert_int_equal(u32(plain), FRAMES);
  assert_int_equal(u32(plain + 4), 22);
  const uint32_t points = u32(plain + 8);
  const unsigned char *at = plain + 16;
  for (int c = 0; c < 22; c++, at += 8*FRAMES)
    for (int i = 0; i < FRAMES; i++)
      assert_true(plane_double(at, FRAMES, (size_t)i) == row_at(c, first + i));
  uint32_t sum = 0;
  for (int i = 0; i < FRAMES; i++, at += 4) {
    assert_int_equal(u32(at), (first + i) % 3);
    if (u32(at) == 2) {
      const unsigned char *iteration = at + 4*(FRAMES - i), *residual = iteration + 4*points;
      assert_int_equal(plane_word(iteration, points, sum + 1, 4), first + i);
      assert_true(as_float(plane_word(residual, points, sum + 1, 4)) == -8.0f);
    }
    sum += u32(at);
  }
  assert_int_equal(sum, points);
  assert_ptr_equal(at + 8*points, plain + length);
}

static void a_file_is_as_its_specification_says(void **state) {
  (void)state;
  static const char *const types[] = {"HEAD", "FRAM", "STEP", "SAVE", "FRAM", "STEP", "TIME",
                                      "SAVE", "FRAM", "STEP", "SAVE", "LAST"};
  const bytes file = whole_file();
  assert_memory_equal(file.data, "PERPREC1", 8);
  size_t at = 8;
  for (size_t k = 0; k < sizeof types/sizeof *types; k++) {
    const unsigned char *chunk = file.data + at;
    const uint32_t stored = u32(chunk + 4), length = u32(chunk + 8);
    assert_memory_equal(chunk, types[k], 4);
    uLong crc = crc32(0, chunk, 20);
    crc = crc32(crc, chunk + 24, stored);
    assert_int_equal(u32(chunk + 20), crc);
    unsigned char plain[4096];
    uLongf room = sizeof plain;
    assert_int_equal(uncompress(plain, &room, chunk + 24, stored), Z_OK);
    assert_int_equal(room, length);
    const int first = (int)u32(chunk + 12);
    if (!strcmp(types[k], "FRAM")) check_frames(plain, length, first);
    if (!strcmp(types[k], "STEP")) check_rows(plain, length, first);
    if (!strcmp(types[k], "TIME")) assert_true(plane_double(plain + 16, FRAMES, 1) == 1.5);
    at += 24 + stored;
  }
  assert_int_equal(at, file.length);
  free(file.data);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  const bytes file = whole_file();
  char message[256];
  record_index index;
  record_frames frames;
  record_steps steps;
  assert_int_equal(record_scan(file.data, file.length, &index, message, sizeof message), 0);
  assert_true(index.complete);
  assert_int_equal(index.count, 12);
  assert_int_equal(index.whole, file.length);
  assert_int_equal(record_read_frames(file.data, &index, 8, &frames, message, 256), 0);
  assert_int_equal(frames.first, 2*FRAMES);
  for (int c = 0; c < RECORD_COMPONENTS; c++)
    for (int i = 0; i < BODIES; i++)
      assert_true(record_frame(&frames, c, 3)[i] == value_at(c, 13, i));
  const record_touch touch = touch_at(13, 0);
  uint32_t before = 0;
  for (int f = 10; f < 13; f++) before += touches_at(f) == RECORD_NO_TOUCHES ? 0 : touches_at(f);
  assert_memory_equal(&frames.touch[before], &touch, sizeof touch);
  record_frames_free(&frames);
  assert_int_equal(record_read_steps(file.data, &index, 9, &steps, message, 256), 0);
  for (int c = 0; c < RECORD_COLUMNS; c++)
    assert_true(steps.column[c*FRAMES + 2] == row_at(c, 12));
  record_steps_free(&steps);
  assert_int_equal(record_read_steps(file.data, &index, 6, &steps, message, 256), 0);
  assert_true(steps.seconds[4] == 0.25*9);
  record_steps_free(&steps);
  record_bytes plain = {0};
  assert_int_equal(record_unpack(file.data, &index, 3, &plain, message, 256), 0);
  assert_memory_equal(plain.data, "state", plain.length);
  free(plain.data);
  record_index_free(&index);
  free(file.data);
}

static void a_file_cut_anywhere_keeps_its_whole_chunks(void **state) {
  (void)state;
  const bytes file = whole_file();
  char message[256];
  record_index all, some;
  assert_int_equal(record_scan(file.data, file.length, &all, message, sizeof message), 0);
  for (size_t length = 0; length < file.length; length++) {
    unsigned char *copy = malloc(length + 1);   // a sanitizer sees the first byte too far
    memcpy(copy, file.data, length);
    const int code = record_scan(copy, length, &some, message, sizeof message);
    int32_t whole = 0;
    while (whole < all.count && all.chunk[whole].byte + 24 + all.chunk[whole].stored <= length)
      whole++;
    assert_int_equal(code, whole > 0 ? RECORD_OK : RECORD_CORRUPT);
    assert_int_equal(some.count, whole);
    assert_false(some.complete);
    record_index_free(&some);
    free(copy);
  }
  record_index_free(&all);
  free(file.data);
}

static void every_wrong_bit_is_noticed(void **state) {
  (void)state;
  const bytes file = whole_file();
  char message[256];
  record_index all, some;
  assert_int_equal(record_scan(file.data, file.length, &all, message, sizeof message), 0);
  for (size_t bit = 0; bit < 8*file.length; bit++) {
    int32_t hit = 0;   // the chunk that has it
    while (hit < all.count - 1 && all.chunk[hit + 1].byte <= bit/8) hit++;
    file.data[bit/8] ^= (unsigned char)(1u << bit % 8);
    const int code = record_scan(file.data, file.length, &some, message, sizeof message);
    file.data[bit/8] ^= (unsigned char)(1u << bit % 8);
    assert_false(code == RECORD_OK && some.complete);
    assert_int_equal(some.count, bit < 64 ? 0 : hit);   // those before it are still there
    if (code != RECORD_OK && bit >= 64 && hit > 0) {
      char place[64];
      snprintf(place, sizeof place, "chunk %d at byte %zu: ", (int)hit + 1, all.chunk[hit].byte);
      if (strncmp(message, place, strlen(place)) != 0) fail_msg("%s: %s", place, message);
    }
    record_index_free(&some);
  }
  record_index_free(&all);
  free(file.data);
}

static void going_on_after_a_save_gives_the_same_bytes(void **state) {
  (void)state;
  const bytes file = whole_file();
  char message[256] = "";
  record_index index;
  record_writer *writer;
  assert_int_equal(record_scan(file.data, file.length, &index, message, sizeof message), 0);
  assert_int_equal(truncate(path, (off_t)index.chunk[9].byte + 7), 0);   // in the midst of a chunk
  assert_int_equal(record_append(path, &index, 8, &writer, message, sizeof message), 0);
  assert_int_equal(write_spans(writer, 2, message, sizeof message), 0);
  assert_int_equal(record_close(writer, message, sizeof message), 0);
  const bytes again = read_file(path);
  assert_int_equal(again.length, file.length);
  assert_memory_equal(again.data, file.data, file.length);
  record_index_free(&index);
  free(again.data);
  free(file.data);
}

static void a_full_disk_leaves_whole_chunks_or_no_file(void **state) {
  (void)state;
  const bytes file = whole_file();
  char message[256], all_message[256];
  record_index all;
  assert_int_equal(record_scan(file.data, file.length, &all, all_message, 256), 0);
  struct rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_IGN);
  for (size_t limit = 0; limit < file.length; limit += 23) {
    const struct rlimit few = {limit, old.rlim_max};
    unlink(path);
    setrlimit(RLIMIT_FSIZE, &few);
    const int code = write_file(path, message, sizeof message);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(code, RECORD_IO);
    int32_t whole = 0;
    while (whole < all.count && all.chunk[whole].byte + 24 + all.chunk[whole].stored <= limit)
      whole++;
    if (whole == 0) {
      assert_int_not_equal(access(path, F_OK), 0);
      continue;
    }
    assert_non_null(strstr(message, "File too large; the"));
    const bytes part = read_file(path);
    assert_int_equal(part.length, all.chunk[whole].byte);   // where the next would begin
    assert_memory_equal(part.data, file.data, part.length);
    free(part.data);
  }
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(write_file("/dev/full", message, sizeof message), RECORD_IO);
    assert_string_equal(message, "/dev/full: No space left on device");
    assert_int_equal(access("/dev/full", F_OK), 0);
  }
  assert_int_equal(write_file("/nowhere/a.perp", message, sizeof message), RECORD_IO);
  assert_string_equal(message, "/nowhere/a.perp: No such file or directory");
  record_index_free(&all);
  free(file.data);
}

// A file of HEAD and one chunk with a right check sum and whatever is inside.
static bytes forge(const char *type, uint32_t first, uint32_t count, const unsigned char *plain,
                   uint32_t length, uint32_t claimed) {
  bytes out = forge_begin();
  const forged first_chunk = {"HEAD", 0, 0, (const unsigned char *)head, sizeof head - 1};
  const forged chunk = {type, first, count, plain, length};
  forge_chunk(&out, &first_chunk, first_chunk.length);
  forge_chunk(&out, &chunk, claimed);
  return out;
}

static void refused(const char *type, uint32_t count, const unsigned char *plain, uint32_t length,
                    uint32_t claimed, const char *why) {
  char message[256] = "";
  record_index index;
  const bytes file = forge(type, 0, count, plain, length, claimed);
  int code = record_scan(file.data, file.length, &index, message, sizeof message);
  if (!code) {
    record_frames frames;
    record_steps steps;
    code = !strcmp(type, "FRAM")
               ? record_read_frames(file.data, &index, 1, &frames, message, sizeof message)
               : record_read_steps(file.data, &index, 1, &steps, message, sizeof message);
  }
  assert_int_equal(code, RECORD_CORRUPT);
  if (!strstr(message, why)) fail_msg("'%s' does not say '%s'", message, why);
  assert_memory_equal(message, "chunk 2 at byte ", 16);
  record_index_free(&index);
  free(file.data);
}

static const char long_state[] = "more bytes than a chunk may have";

// HEAD, a row, the state in parts, LAST.
static bytes file_of_parts(size_t part) {
  char message[256] = "";
  record_writer *writer;
  record_steps steps;
  assert_int_equal(record_create(path, &writer, message, sizeof message), RECORD_OK);
  assert_int_equal(record_write(writer, RECORD_HEAD, 0, 0, head, sizeof head - 1, message, 256), 0);
  assert_int_equal(record_steps_create(RECORD_COLUMNS, 1, &steps), RECORD_OK);
  add_row(&steps, 0);
  assert_int_equal(record_write_steps(writer, &steps, 0, message, sizeof message), RECORD_OK);
  record_steps_free(&steps);
  assert_int_equal(record_write_state(writer, 0, long_state, sizeof long_state, part, message, 256),
                   RECORD_OK);
  assert_int_equal(record_write(writer, RECORD_LAST, 0, 0, last, sizeof last - 1, message, 256), 0);
  assert_int_equal(record_close(writer, message, sizeof message), RECORD_OK);
  return read_file(path);
}

static void a_state_takes_as_many_chunks_as_it_needs(void **state) {
  (void)state;
  const size_t length = sizeof long_state;
  for (size_t part = 1; part <= length + 1; part++) {
    const bytes file = file_of_parts(part);
    const int32_t parts = (int32_t)((length + part - 1)/part);
    char message[256];
    record_index index;
    record_bytes whole = {0};
    assert_int_equal(record_scan(file.data, file.length, &index, message, sizeof message), 0);
    assert_true(index.complete);
    assert_int_equal(index.count, 3 + parts);
    for (int32_t k = 0; k < parts; k++) {
      assert_int_equal(index.chunk[2 + k].type, RECORD_SAVE);
      assert_int_equal(index.chunk[2 + k].count, parts - 1 - k);   // that follow
      assert_true(index.chunk[2 + k].plain <= part);
    }
    assert_int_equal(record_read_state(file.data, &index, 1 + parts, SIZE_MAX, &whole, message, 256), 0);
    assert_int_equal(whole.length, length);
    assert_memory_equal(whole.data, long_state, length);
    free(whole.data);
    record_index_free(&index);
    free(file.data);
  }
}

// The file without its chunks from `from` up to `to`.
static void lacks(const bytes *file, const record_index *all, int32_t from, int32_t to, int32_t hit,
                  const char *why) {
  const size_t cut = all->chunk[from].byte, on = all->chunk[to].byte;
  bytes out = {malloc(file->length), file->length - (on - cut)};
  char message[256], place[64];
  record_index index;
  memcpy(out.data, file->data, cut);
  memcpy(out.data + cut, file->data + on, file->length - on);
  assert_int_equal(record_scan(out.data, out.length, &index, message, 256), RECORD_CORRUPT);
  snprintf(place, sizeof place, "chunk %d at byte ", (int)hit + 1);
  if (strncmp(message, place, strlen(place)) != 0 || !strstr(message, why))
    fail_msg("%s...%s: %s", place, why, message);
  record_index_free(&index);
  free(out.data);
}

static void parts_of_a_state_are_all_there_and_in_order(void **state) {
  (void)state;
  const bytes file = file_of_parts(8);   // chunks 2 to 6 are its parts
  char message[256];
  record_index all, some;
  assert_int_equal(record_scan(file.data, file.length, &all, message, sizeof message), 0);
  assert_int_equal(all.count, 8);
  lacks(&file, &all, 3, 4, 3, "the parts of SAVE are out of order");
  lacks(&file, &all, 6, 7, 6, "SAVE without its other parts");
  lacks(&file, &all, 1, 2, 1, "SAVE is not of the step before it");
  for (size_t length = all.chunk[2].byte; length < file.length; length++) {
    assert_int_equal(record_scan(file.data, length, &some, message, sizeof message), RECORD_OK);
    assert_false(some.complete);   // a missing end is no error, in the midst of a state neither
    record_index_free(&some);
  }
  record_index_free(&all);
  free(file.data);
}

static void claims_are_not_believed(void **state) {
  (void)state;
  unsigned char plain[4096] = {0};
  plain[0] = 2, plain[4] = 1;   // two frames of one body: 16 + 104 + 8 bytes
  refused("FRAM", 2, plain, 128, 127, "does not have 127 bytes");
  refused("FRAM", 2, plain, 128, 129, "does not have 129 bytes");
  refused("FRAM", 2, plain, 127, 128, "does not unpack to 128 bytes");
  refused("FRAM", 2, plain, 128, 0x20000000, "cannot be 536870912 unpacked");
  refused("FRAM", 2, plain, 129, 129, "does not have 129 bytes");
  refused("FRAM", 3, plain, 128, 128, "FRAM has 2 frames, its header says 3");
  refused("FRAM", 0x40000000, plain, 128, 128, "1073741824 entries do not fit into 128 bytes");
  refused("LOST", 2, plain, 128, 128, "4c4f5354 is no type of a chunk");
  refused("TIME", 2, plain, 32, 32, "TIME without its STEP");
  refused("SAVE", 1, plain, 32, 32, "SAVE is not of the step before it");
  refused("HEAD", 0, plain, 32, 32, "a second HEAD");
  refused("LAST", 2, plain, 32, 32, "first and count are not 0");
  plain[7] = 0xff;              // 4 billion bodies
  refused("FRAM", 2, plain, 128, 128, "does not have 128 bytes");
  plain[7] = 0, plain[120] = 1;   // a contact that is not there
  refused("FRAM", 2, plain, 128, 128, "add up to 1, not 0");
  plain[120] = 0;
  plain[16 + 0] = 0, plain[16 + 6] = 0xff, plain[16 + 4] = 0xff, plain[16 + 2] = 0xff;
  refused("FRAM", 2, plain, 128, 128, "is not finite");
  memset(plain, 0, sizeof plain);
  plain[0] = 1, plain[4] = 22;   // a row: 16 + 176 + 4 bytes
  char message[256];
  record_index index;
  const bytes late = forge("STEP", 1, 1, plain, 196, 196);   // rows begin at 0
  assert_int_equal(record_scan(late.data, late.length, &index, message, sizeof message),
                   RECORD_CORRUPT);
  assert_non_null(strstr(message, "rows out of order"));
  record_index_free(&index);
  free(late.data);
  plain[16] = 1;                 // of step 5e-324
  refused("STEP", 1, plain, 196, 196, "row 0 is of step 4.94066e-324, not 0");
  plain[16] = 0, plain[192] = 33, plain[8] = 33;
  refused("STEP", 1, plain, 196 + 8*33, 196 + 8*33, "33 points in 1 rows, more than 32 in each");
  plain[8] = 32;
  refused("STEP", 1, plain, 196 + 8*32, 196 + 8*32, "row 0 has 33 points, more than 32");
  plain[192] = 1, plain[8] = 0;
  refused("STEP", 1, plain, 196, 196, "add up to 1, not 0");
  plain[192] = 0, plain[4] = 21;
  refused("STEP", 1, plain, 196, 196, "STEP has 21 columns, not 22");
}

static void rounding_is_small_and_says_zero_once(void **state) {
  (void)state;
  for (int k = -40; k < 40; k++) {
    const double smallest = pow(1.7, k), q = record_quantum(smallest);
    assert_true(q <= 1e-5*smallest && 2.0*q > 0.99e-5*smallest);
    const double x = 0.7*smallest + 3.3*q;
    assert_true(fabs((double)record_round(x, q) - x) <= 0.5*q + 1e-7*x);
    assert_true(fabs((double)record_round_bits(-x, 0.0) + x) <= x*0x1p-13);
    assert_true(record_round_bits(x, -1.0) == (float)x && record_round(x, 0.0) == (float)x);
  }
  assert_false(signbit(record_round(-1e-9, 1e-3)));
  assert_true(record_round_bits(0.0, 0.0) == 0.0f && record_round_bits(-1e-6, 1e-5) == 0.0f);
  assert_true(record_round_bits(1e-4, 1e-5) > 0.0f);
}

static int prepare(void **state) {
  (void)state;
  const int fd = mkstemp(path);
  return fd < 0 || close(fd) != 0;
}
static int clean(void **state) {
  (void)state;
  unlink(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_file_is_as_its_specification_says),
    cmocka_unit_test(what_is_written_is_read),
    cmocka_unit_test(a_file_cut_anywhere_keeps_its_whole_chunks),
    cmocka_unit_test(every_wrong_bit_is_noticed),
    cmocka_unit_test(going_on_after_a_save_gives_the_same_bytes),
    cmocka_unit_test(a_full_disk_leaves_whole_chunks_or_no_file),
    cmocka_unit_test(a_state_takes_as_many_chunks_as_it_needs),
    cmocka_unit_test(parts_of_a_state_are_all_there_and_in_order),
    cmocka_unit_test(claims_are_not_believed),
    cmocka_unit_test(rounding_is_small_and_says_zero_once),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}
