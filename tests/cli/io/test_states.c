// NAME.perp.state: what belongs to a recording is taken from it, and nothing else.
// cost: 1
#include "file.h"
#include "message.h"
#include "run_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SPAN = 4 };
static char path[] = "/tmp/perp-states-XXXXXX";
static const recording_head about = {.every = 1, .span = SPAN};

// A film of frames without bodies; its state is the number of the step.
typedef struct reel { record_frames frames; int64_t step; } reel;

static int add(void *self, int64_t step) {
  ((reel *)self)->frames.frames++;
  ((reel *)self)->step = step;
  return 0;
}
static uint32_t waiting(const void *self) { return ((const reel *)self)->frames.frames; }
static int put(const void *self, record_writer *writer, char *message, size_t size) {
  return record_write_frames(writer, &((const reel *)self)->frames, message, size);
}
static int restore(void *self, const void *bytes, const record_index *index, int32_t k,
                   char *message, size_t size) {
  record_frames frames;
  if (index->chunk[k].type != RECORD_FRAM) return 0;
  int code = record_read_frames(bytes, index, k, &frames, message, size);
  if (!code) code = record_frames_append(&((reel *)self)->frames, &frames);
  record_frames_free(&frames);
  return code;
}
static void clear(void *self, uint32_t first) {
  record_frames_clear(&((reel *)self)->frames, first);
}
static size_t save(const void *self, void *memory, size_t size) {
  const int64_t step = ((const reel *)self)->step;
  if (memory && size >= sizeof step) memcpy(memory, &step, sizeof step);
  return sizeof step;
}
static void destroy(void *self) {
  record_frames_free(&((reel *)self)->frames);
  free(self);
}

static recorder shape(void) {
  reel *what = calloc(1, sizeof *what);
  assert_non_null(what);
  assert_int_equal(record_frames_create(0, SPAN, &what->frames), 0);
  return (recorder){.film = {what, add, waiting, put, restore, clear, save, destroy},
                    .every = 1, .span = SPAN, .share = 1000, .save_every = 0.0};
}

static void step_to(recorder *what, int64_t first, int64_t last) {
  for (int64_t k = first; k <= last; k++) {
    const recorder_row row = {.step = k, .value = {(double)k}};
    assert_int_equal(recorder_step(what, &row), 0);
  }
}

typedef struct both { file_text recording, state; record_index whole, beside; } both;

// A recording of some steps that was left without an end, and its state.
static both killed_after(const char *head, int64_t last) {
  char message[256], side[64];
  const recorder like = shape();
  recorder what;
  both out;
  assert_int_equal(recorder_create(path, head, &about, &like, &what), 0);
  step_to(&what, 0, last);
  assert_int_equal(what.side_step, last);
  recorder_free(&what);
  snprintf(side, sizeof side, "%s.state", path);
  assert_int_equal(file_read(path, &out.recording, message, sizeof message), 0);
  assert_int_equal(file_read(side, &out.state, message, sizeof message), 0);
  assert_int_equal(record_scan(out.recording.data, out.recording.length, &out.whole, message,
                               sizeof message), 0);
  assert_int_equal(record_scan_state(out.state.data, out.state.length, &out.beside, message,
                                     sizeof message), 0);
  return out;
}

static void free_both(both *what) {
  record_index_free(&what->whole);
  record_index_free(&what->beside);
  file_text_free(&what->recording);
  file_text_free(&what->state);
}

// What --resume does with chunks [1, to) of the state, as if it were that after `step`.
static int restored(const both *what, int32_t chunks, int32_t to, int64_t step) {
  const recorder like = shape();
  recorder again;
  assert_int_equal(recorder_append(path, &what->whole, &about, &like, &again), 0);
  const int code = recorder_restore(&again, chunks, what->state.data, &what->beside, 1, to, step);
  if (!code) {
    assert_int_equal(recorder_keep(&again, step, STATE_BESIDE), 0);
    assert_int_equal(recorder_cut(&again, chunks), 0);
    step_to(&again, step + 1, 20);
    assert_int_equal(recorder_end(&again, 1, "finished", 20, 0, 0.0), 0);
  }
  recorder_free(&again);
  return code;
}

static void a_state_has_its_place_in_one_recording(void **state) {
  (void)state;
  both a = killed_after("{\"a\":1}", 6), b = killed_after("{\"b\":1}", 6);
  const int32_t chunks = state_place(a.state.data, &a.beside, &a.whole);
  assert_int_equal(chunks, 3);   // HEAD, and FRAM and STEP of steps 0 to 3
  assert_int_equal(state_place(a.state.data, &a.beside, &b.whole), 0);
  a.whole.count = 2;             // a recording that lost its end
  assert_int_equal(state_place(a.state.data, &a.beside, &a.whole), 0);
  free_both(&a);
  free_both(&b);
}

static void the_rest_is_made_to_the_same_bytes(void **state) {
  (void)state;
  char message[256];
  file_text undisturbed, resumed;
  const recorder like = shape();
  recorder what;
  assert_int_equal(recorder_create(path, "{}", &about, &like, &what), 0);
  step_to(&what, 0, 20);
  assert_int_equal(recorder_end(&what, 1, "finished", 20, 0, 0.0), 0);
  recorder_free(&what);
  assert_int_equal(file_read(path, &undisturbed, message, sizeof message), 0);
  for (int64_t last = 1; last < 20; last++) {
    both a = killed_after("{}", last);
    const int32_t save = a.beside.count - 1;
    assert_int_equal(a.beside.chunk[save].type, RECORD_SAVE);
    assert_int_equal(a.beside.chunk[save].first, last);
    assert_int_equal(restored(&a, state_place(a.state.data, &a.beside, &a.whole), save, last), 0);
    assert_int_equal(file_read(path, &resumed, message, sizeof message), 0);
    assert_int_equal(resumed.length, undisturbed.length);
    assert_memory_equal(resumed.data, undisturbed.data, undisturbed.length);
    file_text_free(&resumed);
    free_both(&a);
  }
  file_text_free(&undisturbed);
}

static void frames_and_rows_must_be_those_of_the_steps(void **state) {
  (void)state;
  both a = killed_after("{}", 6);
  const int32_t save = a.beside.count - 1;
  assert_int_equal(restored(&a, 1, save, 6), CODE_INPUT);       // a span is missing
  assert_int_equal(restored(&a, 3, save, 5), CODE_INPUT);       // of another step
  assert_int_equal(restored(&a, 3, save - 1, 6), CODE_INPUT);   // frames without rows
  assert_int_equal(restored(&a, 3, 1, 6), CODE_INPUT);          // nothing
  assert_int_equal(restored(&a, 3, save, 6), 0);
  free_both(&a);
}

static int make(void **state) {
  (void)state;
  const int fd = mkstemp(path);
  if (fd >= 0) close(fd);
  return fd < 0;
}

static int drop(void **state) {
  char side[64];
  (void)state;
  snprintf(side, sizeof side, "%s.state", path);
  unlink(side);
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_state_has_its_place_in_one_recording),
      cmocka_unit_test(the_rest_is_made_to_the_same_bytes),
      cmocka_unit_test(frames_and_rows_must_be_those_of_the_steps)};
  return cmocka_run_group_tests(tests, make, drop);
}
