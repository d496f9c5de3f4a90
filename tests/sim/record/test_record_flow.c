// test_record_flow.c: recordings of liquids against an independent reader of docs/recording.md, and
// claims in them that are not true.
#include <unistd.h>

#include "recording_bytes.h"

#include <record.h>

enum { FRAMES = 4, BODIES = 2, NX = 6, NY = 5 };
static const double h = 0.25;
static char path[] = "/tmp/test_flow_XXXXXX";   // mkstemp fills it in

static int count_at(int frame) { return frame == 2 ? 0 : 20 + 7*frame; }
static double place_at(int c, int frame, int i) {   // in the grid, in no order
  return (c == 0 ? NX : c == 1 ? NY : 3)*h*fmod(0.37 + 0.61803*(i + 1)*(c + 1) + 0.11*frame, 1.0);
}
static double speed_at(int c, int frame, int i) { return sin(i + 3.0*c + frame)*(1.0 + frame); }
static float pose_at(int c, int frame, int body) { return (float)(c + 0.25*frame - 2.0*body); }
static double surface_at(int frame, int cell) { return h*(0.1*cell - 1.5 - 0.3*frame); }
static double pressure_at(int frame, int cell) { return 50.0*(cell - 8)*(frame + 1); }
static uint8_t type_at(int frame, int cell) { return (uint8_t)((cell + frame) % 3); }

static int write_file(int dimension, int fine) {
  const int32_t cells[3] = {NX, NY, dimension == 3 ? 3 : 1};
  const record_flow like = {.bodies = BODIES, .dimension = dimension, .fine = fine,
                            .cells = {cells[0], cells[1], cells[2]}};
  char message[256] = "";
  record_writer *writer;
  record_flow flow;
  record_grid grid;
  record_steps steps;
  assert_int_equal(record_flow_create(&like, FRAMES, &flow), RECORD_OK);
  assert_int_equal(record_grid_create(cells, 7, FRAMES, &grid), RECORD_OK);
  assert_int_equal(record_steps_create(RECORD_FLUID_COLUMNS, 1, &steps), RECORD_OK);
  for (int f = 0; f < FRAMES; f++) {
    double x[3][64], v[3][64], surface[90], pressure[90];
    uint8_t type[90], separating[90];
    for (int c = 0; c < RECORD_POSE; c++)
      for (int k = 0; k < BODIES; k++)
        record_pose(&flow, c, (uint32_t)f)[k] = pose_at(c, f, k);
    for (int i = 0; i < count_at(f); i++)
      for (int c = 0; c < 3; c++) x[c][i] = place_at(c, f, i), v[c][i] = speed_at(c, f, i);
    for (int i = 0; i < NX*NY*cells[2]; i++) {
      surface[i] = surface_at(f, i);
      pressure[i] = pressure_at(f, i);
      type[i] = type_at(f, i);
      separating[i] = (uint8_t)(i % 2);
    }
    assert_int_equal(record_flow_add(&flow, count_at(f), (const double *const[]){x[0], x[1], x[2]},
                                     (const double *const[]){v[0], v[1], v[2]}, h, NULL), 0);
    record_grid_add(&grid, type, separating, surface, h, pressure);
    double row[RECORD_COLUMNS_MAX];
    for (int c = 0; c < RECORD_FLUID_COLUMNS; c++) row[c] = c ? f + 0.1*c : f;
    assert_int_equal(record_steps_add(&steps, row, 0.0, NULL, 0), RECORD_OK);
  }
  int code = record_create(path, &writer, message, sizeof message);
  if (!code) code = record_write(writer, RECORD_HEAD, 0, 0, "{}", 2, message, 256);
  if (!code) code = record_write_flow(writer, &flow, message, sizeof message);
  if (!code) code = record_write_grid(writer, &grid, message, sizeof message);
  if (!code) code = record_write_steps(writer, &steps, 0, message, sizeof message);
  record_close(writer, message, sizeof message);
  record_flow_free(&flow);
  record_grid_free(&grid);
  record_steps_free(&steps);
  return code;
}

static bytes whole_file(int dimension, int fine) {
  assert_int_equal(write_file(dimension, fine), RECORD_OK);
  return read_file(path);
}

// ---- the format, read by the words of docs/recording.md ----

// A particle of the frame within `place` of where it should be, and with its velocity.
static int find_particle(int dimension, int frame, const double at[3], const double v[3],
                         double place, double top, uint8_t *used) {
  for (int i = 0; i < count_at(frame); i++) {
    int same = !used[i];
    for (int c = 0; c < dimension && same; c++) {
      const double speed = speed_at(c, frame, i), away = fabs(place_at(c, frame, i) - at[c]);
      // squares: half a step of 1/127 of the root
      const double near = fabs(sqrt(fabs(v[c])/top) - sqrt(fabs(speed)/top));
      same = away <= 0.5*place*(1.0 + 1e-9) && near <= 0.5/127.0 + 1e-6 &&
             (v[c] == 0.0 || (v[c] < 0.0) == (speed < 0.0));
    }
    if (same) return used[i] = 1;
  }
  return 0;
}

static void check_flow(const unsigned char *plain, uint32_t length, int dimension, int fine) {
  const uint32_t header[] = {FRAMES, BODIES, 0, (uint32_t)dimension, (uint32_t)fine, NX, NY,
                             dimension == 3 ? 3 : 1};
  uint32_t total = 0;
  for (int f = 0; f < FRAMES; f++) total += (uint32_t)count_at(f);
  for (int k = 0; k < 8; k++)
    assert_int_equal(u32(plain + 4*k), k == 2 ? total : header[k]);
  const unsigned char *at = plain + 32;
  const size_t m = FRAMES*BODIES;
  for (int c = 0; c < 7; c++, at += 4*m) {
    for (int k = 0; k < BODIES; k++) {
      uint32_t word = 0;
      for (int f = 0; f < FRAMES; f++) {
        word = (uint32_t)(word + signed_of(plane_word(at, m, (size_t)(f*BODIES + k), 4)));
        assert_true(as_float(word) == pose_at(c, f, k));
      }
    }
  }
  const unsigned char *counts = at, *tops = at + 4*FRAMES, *cell = tops + 4*FRAMES;
  const int width = fine > 256 ? 2 : 1;
  const unsigned char *places = cell + 4*total;
  const unsigned char *speeds = places + (size_t)(width*dimension)*total;
  assert_ptr_equal(speeds + (size_t)dimension*total, plain + length);
  size_t p = 0;
  for (int f = 0; f < FRAMES; f++) {
    uint32_t where = 0;
    int speed[3] = {0};
    uint8_t used[64] = {0};
    assert_int_equal(u32(counts + 4*f), count_at(f));
    const double top = (double)as_float(u32(tops + 4*f));
    for (int i = 0; i < count_at(f); i++, p++) {
      where += plane_word(cell, total, p, 4);
      const uint32_t of[3] = {where % NX, where/NX % NY, where/NX/NY};
      double x[3], v[3];
      for (int c = 0; c < dimension; c++) {
        const uint32_t within = plane_word(places + (size_t)(c*width)*total, total, p, width);
        assert_true(within < (uint32_t)fine);
        x[c] = (of[c] + (within + 0.5)/fine)*h;
        speed[c] = (int8_t)(speed[c] + signed_of(speeds[(size_t)c*total + p]));
        v[c] = top*(speed[c]/127.0)*fabs(speed[c]/127.0);
      }
      if (!find_particle(dimension, f, x, v, h/fine, top, used))
        fail_msg("frame %d: nothing is at %g %g with %g %g", f, x[0], x[1], v[0], v[1]);
    }
  }
}

static void check_grid(const unsigned char *plain, uint32_t length, int dimension) {
  const size_t cells = NX*NY*(dimension == 3 ? 3 : 1), m = FRAMES*cells;
  const uint32_t header[] = {FRAMES, NX, NY, dimension == 3 ? 3 : 1, 7, 0, 0, 0};
  for (int k = 0; k < 8; k++) assert_int_equal(u32(plain + 4*k), header[k]);
  const unsigned char *type = plain + 32, *surface = type + m, *unit = surface + m,
                      *pressure = unit + 4*FRAMES;
  assert_ptr_equal(pressure + 2*m, plain + length);
  for (int f = 0; f < FRAMES; f++) {
    int64_t word = 0;
    const double step = (double)as_float(u32(unit + 4*f));
    for (int i = 0; i < (int)cells; i++) {
      const size_t k = (size_t)f*cells + (size_t)i;
      const int separating = type_at(f, i) == 1 && i % 2;
      assert_int_equal(type[k], type_at(f, i) + 4*separating);
      const double distance = surface_at(f, i)/h*64.0, stored = (int8_t)surface[k];
      assert_true(fabs(stored - distance) <= 0.5 + 1e-9 ||
                  (fabs(distance) > 127.0 && stored == copysign(127.0, distance)));
      word = (int16_t)(word + signed_of(plane_word(pressure, m, k, 2)));
      assert_true(fabs((double)word*step - pressure_at(f, i)) <= 0.501*step);
    }
    assert_true(step <= pressure_at(f, (int)cells - 1)/2000.0);   // fine enough
  }
}

static void as_specified(int dimension, int fine) {
  static const char *const types[] = {"HEAD", "FLOW", "GRID", "STEP"};
  const bytes file = whole_file(dimension, fine);
  size_t at = 8;
  for (size_t k = 0; k < 4; k++) {
    const unsigned char *chunk = file.data + at;
    const uint32_t stored = u32(chunk + 4), length = u32(chunk + 8);
    unsigned char plain[8192];
    uLongf room = sizeof plain;
    assert_memory_equal(chunk, types[k], 4);
    assert_int_equal(uncompress(plain, &room, chunk + 24, stored), Z_OK);
    assert_int_equal(room, length);
    assert_int_equal(u32(chunk + 16), k ? FRAMES : 0);
    if (k == 1) check_flow(plain, length, dimension, fine);
    if (k == 2) check_grid(plain, length, dimension);
    if (k == 3) assert_int_equal(u32(plain + 4), 25);
    at += 24 + stored;
  }
  assert_int_equal(at, file.length);
  free(file.data);
}

static void a_file_is_as_its_specification_says(void **state) {
  (void)state;
  as_specified(2, 64);
  as_specified(2, 8192);
  as_specified(3, 64);
  as_specified(3, 1);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  const bytes file = whole_file(3, 512);
  char message[256];
  record_index index;
  record_flow flow;
  record_grid grid;
  record_steps steps;
  assert_int_equal(record_scan(file.data, file.length, &index, message, sizeof message), 0);
  assert_int_equal(index.count, 4);
  assert_int_equal(record_read_flow(file.data, &index, 1, &flow, message, 256), 0);
  for (uint32_t f = 0; f < FRAMES; f++) {
    uint8_t used[64] = {0};
    const uint32_t start = record_flow_start(&flow, f);
    assert_true(record_pose(&flow, 6, f)[1] == pose_at(6, (int)f, 1));
    for (uint32_t i = start; i < start + flow.count[f]; i++) {
      double x[3], v[3];
      for (int c = 0; c < 3; c++) {
        x[c] = (flow.place[c][i] + 0.5)*h/flow.fine;
        v[c] = record_velocity((double)flow.top[f], flow.velocity[c][i]);
      }
      assert_true(find_particle(3, (int)f, x, v, h/512.0, (double)flow.top[f], used));
    }
  }
  record_flow_free(&flow);
  assert_int_equal(record_read_grid(file.data, &index, 2, &grid, message, 256), 0);
  for (int f = 0; f < FRAMES; f++) {
    for (int i = 0; i < 90; i++) {
      const int k = 90*f + i;
      assert_int_equal(grid.type[k] & RECORD_CELL_TYPE, type_at(f, i));
      assert_true(fabs((double)grid.unit[f]*grid.pressure[k] - pressure_at(f, i)) <=
                  0.501*(double)grid.unit[f]);
    }
  }
  record_grid_free(&grid);
  assert_int_equal(record_read_steps(file.data, &index, 3, &steps, message, 256), 0);
  assert_int_equal(steps.columns, RECORD_FLUID_COLUMNS);
  assert_true(steps.column[RECORD_FLUID_volume*steps.room + 2] == 2.0 + 0.1*RECORD_FLUID_volume);
  record_steps_free(&steps);
  record_index_free(&index);
  free(file.data);
}

// What lies outside of the grid, or is not finite, is put at its rim; nothing is lost.
static void places_stay_in_the_grid(void **state) {
  (void)state;
  const record_flow like = {.dimension = 2, .fine = 64, .cells = {NX, NY, 1}};
  const double x[] = {-1.0, 100.0, (double)NAN, NX*h}, v[] = {(double)NAN, 1.0, -1e300, 0.0};
  const uint8_t keep[] = {1, 1, 0, 1};
  record_flow flow;
  assert_int_equal(record_flow_create(&like, 2, &flow), RECORD_OK);
  const double *const places[3] = {x, x, NULL}, *const speeds[3] = {v, v, NULL};
  assert_int_equal(record_flow_add(&flow, 4, places, speeds, h, NULL), RECORD_OK);
  assert_int_equal(record_flow_add(&flow, 4, places, speeds, h, keep), RECORD_OK);
  assert_int_equal(flow.count[0], 4);
  assert_int_equal(flow.count[1], 3);
  for (uint32_t i = 0; i < flow.particles; i++)
    assert_true(flow.place[0][i] < 64*NX && flow.place[1][i] < 64*NY);
  assert_true(isfinite(flow.top[0]) && flow.top[1] == 1.0f);
  record_flow_free(&flow);
  const int32_t large[3] = {2048, 100, 1}, most[3] = {65536, 1, 1}, over[3] = {65537, 1, 1};
  assert_int_equal(record_fine(large, 64), 32);
  assert_int_equal(record_fine(large, 20), 16);
  assert_int_equal(record_fine(most, 64), 1);
  assert_int_equal(record_fine(over, 64), 0);
}

// HEAD, then these chunks: why they are refused, or NULL.
static void refused(const forged *chunk, int chunks, const char *why) {
  char message[256] = "";
  bytes out = forge_begin();
  for (int k = -1; k < chunks; k++) {
    static const forged head = {"HEAD", 0, 0, (const unsigned char *)"{}", 2};
    const forged *now = k < 0 ? &head : &chunk[k];
    forge_chunk(&out, now, now->length);
  }
  record_index index;
  int code = record_scan(out.data, out.length, &index, message, sizeof message);
  for (int32_t k = 1; k < index.count && !code; k++) {
    record_flow flow;
    record_grid grid;
    if (index.chunk[k].type == RECORD_FLOW)
      code = record_read_flow(out.data, &index, k, &flow, message, sizeof message);
    else if (index.chunk[k].type == RECORD_GRID)
      code = record_read_grid(out.data, &index, k, &grid, message, sizeof message);
    if (!code && index.chunk[k].type == RECORD_FLOW) record_flow_free(&flow);
    if (!code && index.chunk[k].type == RECORD_GRID) record_grid_free(&grid);
  }
  assert_int_equal(code, why ? RECORD_CORRUPT : RECORD_OK);
  if (why && !strstr(message, why)) fail_msg("'%s' does not say '%s'", message, why);
  record_index_free(&index);
  free(out.data);
}

static void claims_are_not_believed(void **state) {
  (void)state;
  // a frame of one particle in a grid of 3 x 2 cells with 16 places each: 32 + 8 + 4 + 2 + 2 bytes
  unsigned char good[64] = {1, [8] = 1, [12] = 2, [16] = 16, [20] = 3, [24] = 2, [28] = 1,
                            [32] = 1, [42] = 0, [43] = 0};
  good[40] = 5, good[44] = 15, good[46] = 254;   // the last cell; a velocity of 127
  const forged flow = {"FLOW", 0, 1, good, 48};
  refused(&flow, 1, NULL);
  struct { int at, value; const char *why; } const wrong[] = {
      {0, 2, "FLOW has 2 frames, its header says 1"},
      {4, 1, "does not have 48 bytes"},
      {8, 2, "does not have 48 bytes"},
      {11, 255, "does not have 48 bytes"},
      {12, 4, "FLOW has 4 dimensions"},
      {12, 3, "does not have 48 bytes"},
      {16, 15, "15 places a cell"},
      {16, 0, "0 places a cell"},
      {20, 0, "0 x 2 x 1 cells"},
      {22, 1, "65539 x 2 x 1 cells"},
      {28, 2, "FLOW has 2 dimensions, 3 x 2 x 2 cells"},
      {32, 2, "the particles of the frames add up to 2, not 1"},
      {39, 255, "the largest velocity of frame 0"},
      {40, 6, "particle 0 of frame 0 is not in the grid"},
      {43, 1, "particle 0 of frame 0 is not in the grid"},
      {44, 16, "particle 0 of frame 0 is not in the grid"},
      {46, 255, "particle 0 of frame 0 is faster than the fastest"},
  };
  for (size_t k = 0; k < sizeof wrong/sizeof *wrong; k++) {
    unsigned char bad[64];
    memcpy(bad, good, sizeof bad);
    bad[wrong[k].at] = (unsigned char)wrong[k].value;
    if (wrong[k].at == 39) bad[38] = 0xc0;
    refused(&(forged){"FLOW", 0, 1, bad, 48}, 1, wrong[k].why);
  }
  refused(&(forged){"FLOW", 0, 0x10000000, good, 48}, 1, "entries do not fit into 48 bytes");
  refused(&(forged){"FLOW", 0, 1, good, 47}, 1, "does not have 47 bytes");

  // a frame of the grid's fields: 32 + 6 + 6 + 4 + 12 bytes
  unsigned char field[64] = {1, [4] = 3, [8] = 2, [12] = 1, [16] = 7};
  field[32] = 2, field[33] = 5, field[34] = 1;
  const forged grid[] = {flow, {"GRID", 0, 1, field, 60}};
  refused(grid, 2, NULL);
  struct { int at, value; const char *why; } const bad[] = {
      {0, 2, "GRID has 2 frames, its header says 1"}, {20, 1, "GRID has 1, 0, 0 in place of zeros"},
      {4, 4, "does not have 60 bytes"},   {4, 0, "0 x 2 x 1 cells"},
      {16, 8, "fields 8"},                {16, 0, "fields 0"},
      {16, 3, "does not have 60 bytes"},  {32, 3, "cell 0 of frame 0 has type 3"},
      {32, 6, "cell 0 of frame 0 has type 6"}, {33, 9, "cell 1 of frame 0 has type 9"},
      {38, 128, "a distance of the surface is -128"}, {47, 0x80, NULL},
      {47, 0xbf, "the unit of pressure of frame 0 is -"},
  };
  for (size_t k = 0; k < sizeof bad/sizeof *bad; k++) {
    unsigned char other[64];
    memcpy(other, field, sizeof other);
    other[bad[k].at] = (unsigned char)bad[k].value;
    refused((forged[]){flow, {"GRID", 0, 1, other, 60}}, 2, bad[k].why);
  }
  refused((forged[]){{"GRID", 0, 1, field, 60}}, 1, "GRID without its FLOW");
  refused((forged[]){flow, {"GRID", 0, 2, field, 60}}, 2, "GRID without its FLOW");
  refused((forged[]){flow, flow}, 2, "FLOW without its STEP");
  refused((forged[]){flow, grid[1], flow}, 3, "GRID without its STEP");
  unsigned char row[300] = {1, [4] = 25};
  const forged step = {"STEP", 0, 1, row, 16 + 25*8 + 4};
  refused((forged[]){flow, step, {"FRAM", 1, 1, good, 20}}, 3,
          "frames of bodies and of liquid in one file");
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
    cmocka_unit_test(places_stay_in_the_grid),
    cmocka_unit_test(claims_are_not_believed),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}
