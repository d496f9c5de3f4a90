// Tests the Matrix Market reader and writer, and the atomic output.
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "file.h"
#include "guard.h"
#include "mtx.h"
#include "mtx_number.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "mtx_random.h"

#define BANNER(rest) "%%MatrixMarket matrix " rest "\n"
#define GENERAL BANNER("coordinate real general")
#define ARRAY BANNER("array real general")

// Files that are right.

static int parse(const char *text, unsigned flags, int threads, mtx_matrix *m, char *message) {
  const size_t length = strlen(text);
  char *bytes = malloc(length ? length : 1);      // exact length, so that an overrun is seen
  memcpy(bytes, text, length);
  strcpy(message, "untouched");
  const int code = mtx_parse("f", bytes, length, flags, threads, m, message, 512);
  free(bytes);
  return code;
}

static double entry(const mtx_matrix *m, int32_t i, int32_t j) {
  if (m->dense) return m->value[i + (int64_t)j*m->rows];
  for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++)
    if (m->row[k] == i) return m->value[k];
  return 0;
}

static void check_shape(const mtx_matrix *m) {
  if (m->dense) {
    assert_null(m->colptr);
    assert_null(m->row);
    assert_int_equal(m->nnz, (int64_t)m->rows*m->columns);
    return;
  }
  assert_int_equal(m->colptr[0], 0);
  assert_int_equal(m->colptr[m->columns], m->nnz);
  for (int32_t j = 0; j < m->columns; j++)
    for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
      assert_in_range(m->row[k], 0, m->rows - 1);
      if (k > m->colptr[j]) assert_true(m->row[k - 1] < m->row[k]);
    }
}

// All accepted spellings of the same 2 x 2 matrix [4 0; -1.5 2], or [4 -1.5; -1.5 2] if symmetric.
static void test_accepted(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double upper;
  } cases[] = {
      {GENERAL "2 2 3\n1 1 4\n2 1 -1.5\n2 2 2\n", 0},
      {GENERAL "2 2 3\n2 2 2\n2 1 -1.5\n1 1 4", 0},
      {"%%matrixmarket MATRIX Coordinate REAL General\r\n2 2 3\r\n1 1 4\r\n2 1 -1.5\r\n2 2 2\r", 0},
      {GENERAL "% c\n\n%\n \t\n 2\t2  3 \n\n1 1 4\n% mid \x01\n\t2 1 -15d-1 \n\n2 2 2\n\n%\n", 0},
      {GENERAL "2 2 4\n1 2 0\n1 1 +4.\n2 1 -.15E1\n2 2 200000000000000000000e-20\n", 0},
      {GENERAL "2 2 3\n01 1 4\n2 0000000000000000000001 -1.5\n2 2 2\n", 0},
      {BANNER("coordinate real symmetric") "2 2 3\n1 1 4\n2 1 -1.5\n2 2 2\n", -1.5},
      {BANNER("coordinate real symmetric") "2 2 3\n2 2 2\n2 1 -1.5\n1 1 4\n", -1.5},
      {ARRAY "2 2\n4\n-1.5\n0\n2\n", 0},
      {ARRAY "%\n2 2\n\n 4\n-1.5 \n% x\n0\n\n2", 0},
      {BANNER("array real symmetric") "2 2\n4\n-1.5\n2\n", -1.5}};
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++)
    for (int threads = 1; threads <= 4; threads++) {
      mtx_matrix m;
      char message[512];
      const int code = parse(cases[k].text, MTX_SMALL_CHUNKS, threads, &m, message);
      if (code != MTX_OK) fail_msg("case %zu: %s", k, message);
      check_shape(&m);
      assert_int_equal(m.rows, 2);
      assert_int_equal(m.columns, 2);
      assert_int_equal(m.symmetric, strstr(cases[k].text, "symmetric") != NULL);
      assert_true(entry(&m, 0, 0) == 4 && entry(&m, 1, 0) == -1.5 && entry(&m, 1, 1) == 2);
      assert_true(entry(&m, 0, 1) == cases[k].upper);
      mtx_free(&m);
      assert_null(m.value);
    }
}

static void test_accepted_special(void **state) {
  (void)state;
  mtx_matrix m;
  char message[512];
  assert_int_equal(parse(GENERAL "0 0 0\n", 0, 1, &m, message), MTX_OK);
  check_shape(&m);
  mtx_free(&m);
  assert_int_equal(parse(ARRAY "0 1", MTX_VECTOR, 1, &m, message), MTX_OK);
  assert_true(m.rows == 0 && m.columns == 1 && m.nnz == 0 && m.dense);
  mtx_free(&m);

  assert_int_equal(parse(BANNER("coordinate integer skew-symmetric") "3 3 2\n3 1 5\n2 1 -7\n", 0, 1,
                         &m, message), MTX_OK);
  check_shape(&m);
  assert_int_equal(m.nnz, 4);
  assert_false(m.symmetric);
  assert_true(entry(&m, 2, 0) == 5 && entry(&m, 0, 2) == -5 && entry(&m, 0, 1) == 7);
  mtx_free(&m);
  assert_int_equal(parse(BANNER("array real skew-symmetric") "3 3\n1\n2\n3\n", 0, 1, &m, message),
                   MTX_OK);
  assert_true(entry(&m, 1, 0) == 1 && entry(&m, 2, 0) == 2 && entry(&m, 2, 1) == 3);
  assert_true(entry(&m, 0, 1) == -1 && entry(&m, 1, 2) == -3 && entry(&m, 1, 1) == 0);
  mtx_free(&m);

  const unsigned flags = MTX_VECTOR | MTX_ALLOW_INFINITE;
  assert_int_equal(parse(ARRAY "7 1\ninf\n-Inf\n1e20\n-1e400\n9.9e19\n+INFINITY\n0\n", flags, 1, &m,
                         message), MTX_OK);
  assert_true(m.value[0] == INFINITY && m.value[1] == -INFINITY && m.value[2] == INFINITY);
  assert_true(m.value[3] == -INFINITY && m.value[4] == 9.9e19 && m.value[5] == INFINITY);
  mtx_free(&m);
  const char *vectors[] = {GENERAL "4 1 2\n3 1 5\n1 1 2\n", GENERAL "1 4 2\n1 3 5\n1 1 2\n",
                           ARRAY "1 4\n2\n0\n5\n0\n"};
  for (int k = 0; k < 3; k++) {
    assert_int_equal(parse(vectors[k], MTX_VECTOR, 1, &m, message), MTX_OK);
    check_shape(&m);
    assert_true(m.dense && m.rows == 4 && m.columns == 1);
    assert_true(m.value[0] == 2 && m.value[1] == 0 && m.value[2] == 5 && m.value[3] == 0);
    mtx_free(&m);
  }
}

// Files that are wrong.

#define ALL "'%%MatrixMarket matrix coordinate|array real|integer general|symmetric|skew-symmetric'"

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
    unsigned flags;
  } cases[] = {
      {"", "f:1:1: expected " ALL ", found the end of the file", 0},
      {"\n", "f:1:1: expected " ALL ", found the end of the line", 0},
      {"2 2 1\n1 1 1\n", "f:1:1: expected " ALL ", found '2'", 0},
      {" %%MatrixMarket", "f:1:1: expected " ALL ", found a blank", 0},
      {"\xef\xbb\xbf%%MatrixMarket x", "f:1:1: expected " ALL
       ", found '\\xef\\xbb\\xbf%%MatrixMarket'", 0},
      {"%%MatrixMarket vector array real general\n",
       "f:1:16: expected the object 'matrix', found 'vector'", 0},
      {BANNER("sparse real general"),
       "f:1:23: expected the format 'coordinate' or 'array', found 'sparse'", 0},
      {BANNER("coordinate pattern general"), "f:1:34: expected the field 'real' or 'integer' "
       "(not pattern, not complex), found 'pattern'", 0},
      {BANNER("array complex general"), "f:1:29: expected the field 'real' or 'integer' "
       "(not pattern, not complex), found 'complex'", 0},
      {BANNER("array real hermitian"), "f:1:34: expected the symmetry 'general', 'symmetric' or "
       "'skew-symmetric', found 'hermitian'", 0},
      {BANNER("array real"), "f:1:33: expected the symmetry 'general', 'symmetric' or "
       "'skew-symmetric', found the end of the line", 0},
      {BANNER("array real general x"),
       "f:1:42: expected the end of the line after the symmetry, found 'x'", 0},
      {GENERAL, "f:2:1: expected 3 sizes (rows columns entries), found the end of the file", 0},
      {GENERAL "%\n2 2\n", "f:3:1: expected 3 sizes (rows columns entries), found 2", 0},
      {ARRAY "2", "f:2:1: expected 2 sizes (rows columns), found 1 and the end of the file", 0},
      {ARRAY "2 2 2\n", "f:2:5: expected the end of the line after the sizes, found '2'", 0},
      {ARRAY "-1 2\n", "f:2:1: expected a number of rows in 0..2147483647, found '-1'", 0},
      {ARRAY "1 2.0\n", "f:2:3: expected a number of columns in 0..2147483647, found '2.0'", 0},
      {GENERAL "2 2147483648 1\n",
       "f:2:3: expected a number of columns in 0..2147483647, found '2147483648'", 0},
      {GENERAL "2 2 99999999999999999999999999\n", "f:2:5: expected a number of entries in "
       "0..2147483647, found '99999999999999999999999999'", 0},
      {ARRAY "65536 65536\n", "f:2:1: expected at most 2147483647 values, found 65536 x 65536", 0},
      {ARRAY "2147483647 1\n1\n", "f:4:1: expected 2147483647 entries, found 1", 0},
      {GENERAL "2 2 5\n", "f:2:1: expected at most 2 x 2 = 4 entries, found 5", 0},
      {GENERAL "46341 46341 2147483647\n1 1 1\n", "f:4:1: expected 2147483647 entries, found 1", 0},
      {GENERAL "2147483647 1 1\n1 1 1\n", "f:2:1: expected at most 10000100 rows and columns for "
       "1 entry, found 2147483647 x 1", 0},
      {BANNER("array real symmetric") "2 3\n",
       "f:2:1: expected a square symmetric matrix, found 2 x 3", 0},
      {GENERAL "2 3 1\n1 1 1\n", "f:2:1: expected a vector, n x 1 or 1 x n, found 2 x 3",
       MTX_VECTOR},
      {GENERAL "2 2 2\n1 1 1\n", "f:4:1: expected 2 entries, found 1", 0},
      {GENERAL "2 2 2\n1 1 1", "f:3:6: expected 2 entries, found 1", 0},
      {GENERAL "2 2 2", "f:2:6: expected 2 entries, found 0", 0},
      {GENERAL "2 2 2\n1 1 1\n1 2",
       "f:4:1: expected 3 fields (row column value), found 2 and the end of the file", 0},
      {GENERAL "2 2 2\n 1 1\n1 2 1\n", "f:3:2: expected 3 fields (row column value), found 2", 0},
      {GENERAL "2 2 1\n1 1 1\n\n2 2 x\n",
       "f:5:1: expected the end of the file after 1 entry, found '2'", 0},
      {GENERAL "2 2 0\n1 1 1\n",
       "f:3:1: expected the end of the file after 0 entries, found '1'", 0},
      {GENERAL "2 2 1\n1 1 1 1\n",
       "f:3:7: expected the end of the line after row, column and value, found '1'", 0},
      {GENERAL "2 2 1\n0 1 1\n", "f:3:1: expected a row index in 1..2, found '0'", 0},
      {GENERAL "2 2 1\n1 3 1\n", "f:3:3: expected a column index in 1..2, found '3'", 0},
      {GENERAL "2 2 1\n1 99999999999999999999 1\n",
       "f:3:3: expected a column index in 1..2, found '99999999999999999999'", 0},
      {GENERAL "2 2 1\n-1 1 1\n", "f:3:1: expected a row index in 1..2, found '-1'", 0},
      {GENERAL "2 2 1\n1. 1 1\n", "f:3:1: expected a row index in 1..2, found '1.'", 0},
      {GENERAL "2 2 1\n1 1 nan\n", "f:3:5: expected a finite number, found 'nan'", 0},
      {ARRAY "1 1\nNaN\n", "f:3:1: expected a number, found 'NaN'", MTX_ALLOW_INFINITE},
      {GENERAL "2 2 1\n1 1 -inf\n", "f:3:5: expected a finite number, found '-inf'", 0},
      {GENERAL "2 2 1\n1 1 1e400\n", "f:3:5: expected a number of magnitude below "
       "1.7976931348623159e308, found '1e400'", 0},
      {GENERAL "2 2 1\n1 1 0x1p3\n", "f:3:5: expected a real value, found '0x1p3'", 0},
      {GENERAL "2 2 1\n1 1 1,5\n", "f:3:5: expected a real value, found '1,5'", 0},
      {GENERAL "2 2 1\n1 1 1e\n", "f:3:5: expected a real value, found '1e'", 0},
      {GENERAL "2 2 1\n1 1 infinit\n", "f:3:5: expected a real value, found 'infinit'", 0},
      {GENERAL "2 2 1\n1 1\r1\n", "f:3:3: expected a column index in 1..2, found '1\\x0d1'", 0},
      {GENERAL "2 2 1\n1 1 \x01\x80\n", "f:3:5: expected a real value, found '\\x01\\x80'", 0},
      {GENERAL "2 2 1\n1 1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", "f:3:5: expected "
       "a real value, found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'", 0},
      {BANNER("array integer general") "1 1\n1.0\n",
       "f:3:1: expected an integer value, found '1.0'", 0},
      {ARRAY "2 1\n1 2\n", "f:3:3: expected the end of the line after the value, found '2'", 0},
      {BANNER("coordinate real symmetric") "2 2 1\n1 2 1\n",
       "f:3:1: expected an entry of the lower triangle, found (1, 2)", 0},
      {BANNER("coordinate real skew-symmetric") "2 2 1\n2 2 0\n",
       "f:3:1: expected no diagonal entry in a skew-symmetric file, found (2, 2)", 0},
      {GENERAL "3 3 4\n3 1 1\n% c\n2 2 5\n1 3 1\n 2 2 6\n",
       "f:7:2: expected each entry once, found (2, 2) again after line 5", 0},
      {GENERAL "3 3 4\n1 1 1\n1 1 5\n1 1 1\n3 3 z\n",
       "f:6:5: expected a real value, found 'z'", 0}};
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++)
    for (int threads = 1; threads <= 5; threads++) {
      mtx_matrix m;
      char message[512];
      const unsigned flags = cases[k].flags | MTX_SMALL_CHUNKS;
      assert_int_equal(parse(cases[k].text, flags, threads, &m, message), MTX_BAD_INPUT);
      assert_string_equal(message, cases[k].message);
      assert_true(m.value == NULL && m.row == NULL && m.colptr == NULL && m.rows == 0);
    }
  static const char nul[] = GENERAL "1 1 1\n1 1 \0\n";
  mtx_matrix m;
  char message[512];
  assert_int_equal(mtx_parse("f", nul, sizeof nul - 1, 0, 1, &m, message, 512), MTX_BAD_INPUT);
  assert_string_equal(message, "f:3:5: expected a real value, found '\\x00'");
  assert_int_equal(mtx_parse("f", nul, sizeof nul - 1, 0, 1, &m, NULL, 0), MTX_BAD_INPUT);
  assert_int_equal(mtx_parse("f", nul, sizeof nul - 1, 0, 1, &m, message, 8), MTX_BAD_INPUT);
  assert_string_equal(message, "f:3:5: ");
}

// Random matrices in random order against a table; then damaged, at several thread counts.

enum { SIDE = 12 };

// Text of a random matrix; fills table (SIDE x SIDE, column-major) with what it means.
static char *random_file(double *table, int order) {
  struct {
    int i, j;
    double v;
  } list[SIDE*SIDE], swap;
  const int kind = random_below(3);               // general, symmetric, skew
  int count = 0;
  for (int k = 0; k < SIDE*SIDE; k++) table[k] = 0;
  for (int a = 0; a < SIDE; a++)
    for (int b = 0; b < SIDE; b++) {
      const int i = order == 1 ? a : b, j = order == 1 ? b : a;     // row by row, column by column
      if (random_below(3) || (kind && i < j) || (kind == 2 && i == j)) continue;
      const double v = (double)(int64_t)random_bits()*1e-15;
      list[count].i = i;
      list[count].j = j;
      list[count++].v = v;
      if (kind) table[j + i*SIDE] = kind == 2 ? -v : v;
      table[i + j*SIDE] = v;
    }
  for (int k = count - 1; k > 0 && order == 2; k--) {               // in no order
    const int other = random_below(k + 1);
    swap = list[k];
    list[k] = list[other];
    list[other] = swap;
  }
  static const char *const kinds[] = {"general", "symmetric", "skew-symmetric"};
  const size_t size = 256 + 64*SIDE*SIDE;
  char *text = malloc(size), *p = text;
  p += snprintf(p, 128, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n", kinds[kind], SIDE,
                SIDE, count);
  for (int k = 0; k < count; k++) {
    if (random_below(20) == 0) p += snprintf(p, 8, "%s", random_below(2) ? "% c\n" : " \n");
    p += snprintf(p, 56, "%d %d %.17g%s", list[k].i + 1, list[k].j + 1, list[k].v,
                  random_below(2) ? "\n" : "\r\n");
  }
  return text;
}

static void test_random_matrices(void **state) {
  (void)state;
  for (int k = 0; k < 600; k++) {
    double table[SIDE*SIDE];
    char *text = random_file(table, k % 3), message[512];
    mtx_matrix m;
    assert_int_equal(parse(text, MTX_SMALL_CHUNKS, 1 + k % 5, &m, message), MTX_OK);
    check_shape(&m);
    int64_t nonzeros = 0;
    for (int j = 0; j < SIDE; j++)
      for (int i = 0; i < SIDE; i++) {
        assert_true(entry(&m, i, j) == table[i + j*SIDE]);
        nonzeros += table[i + j*SIDE] != 0;
      }
    assert_int_equal(m.nnz, nonzeros);
    mtx_free(&m);
    free(text);
  }
}

static void test_threads_agree(void **state) {
  (void)state;
  int refused = 0;
  for (int k = 0; k < 1500; k++) {
    double table[SIDE*SIDE];
    char *text = random_file(table, k % 3);
    const size_t length = strlen(text);
    for (int n = random_below(3); n >= 0; n--)
      text[44 + (size_t)random_below((int)length - 44)] = "0123456789 \n\r%-.ex"[random_below(18)];
    mtx_matrix one, many;
    char first[512], other[512];
    const int code = parse(text, 0, 1, &one, first);
    refused += code == MTX_BAD_INPUT;
    for (int threads = 2; threads <= 9; threads += 7) {
      assert_int_equal(parse(text, MTX_SMALL_CHUNKS, threads, &many, other), code);
      assert_string_equal(first, other);
      assert_int_equal(one.nnz, many.nnz);
      if (code == MTX_OK) {
        const size_t nnz = (size_t)one.nnz;
        assert_memory_equal(one.colptr, many.colptr, ((size_t)one.columns + 1)*sizeof(int32_t));
        if (nnz) assert_memory_equal(one.row, many.row, nnz*sizeof(int32_t));
        if (nnz) assert_memory_equal(one.value, many.value, nnz*sizeof(double));
      }
      mtx_free(&many);
    }
    mtx_free(&one);
    free(text);
  }
  assert_in_range(refused, 300, 1490);            // both outcomes are exercised
}

// Files on disk, in a folder of their own.

static char folder[256];

static int make_folder(void **state) {
  (void)state;
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/perp-test-XXXXXX", base && *base ? base : "/tmp");
  return mkdtemp(folder) ? 0 : -1;
}

static int files_in_folder(bool remove_them) {
  DIR *directory = opendir(folder);
  int count = 0;
  for (struct dirent *e; (e = readdir(directory));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    count++;
    if (remove_them) unlinkat(dirfd(directory), e->d_name, 0);
  }
  closedir(directory);
  return count;
}

static int remove_folder(void **state) {
  (void)state;
  files_in_folder(true);
  return rmdir(folder);
}

static const char *in_folder(const char *name) {
  static char paths[4][320];
  static int turn;
  char *path = paths[turn++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void put_file(const char *path, const void *bytes, size_t length) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, length, f), length);
  fclose(f);
  struct stat status;                             // the number may be that of an older file
  assert_int_equal(stat(path, &status), 0);
  guard_release(&status);
}

// Looks at a file that may be an output right now, which reading would refuse.
static void assert_contents(const char *path, const char *text) {
  file_text t;
  char message[256];
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  guard_release(&status);
  assert_int_equal(file_read(path, &t, message, sizeof message), FILE_OK);
  assert_int_equal(t.length, strlen(text));
  assert_memory_equal(t.data, text, t.length);
  file_text_free(&t);
  guard_release(&status);
}

static void test_round_trip(void **state) {
  (void)state;
  enum { N = 60000 };                             // more than a megabyte: mapped, and in chunks
  static double x[N];
  for (int k = 0; k < N; k++) {
    x[k] = from_bits(random_bits());
    if (!isfinite(x[k]) || k % 7 == 0) x[k] = (double)random_below(1000)/8;
  }
  static const char *const names[] = {"x.mtx", "x.mtx.gz"};
  char message[512];
  for (int k = 0; k < 2; k++) {
    const char *path = in_folder(names[k]);
    assert_int_equal(mtx_write_vector(path, N, x, "line 1\nline 2", message, sizeof message), 0);
    mtx_matrix m;
    assert_int_equal(mtx_read(path, MTX_VECTOR, 3, &m, message, sizeof message), MTX_OK);
    assert_int_equal(m.nnz, N);
    assert_memory_equal(m.value, x, sizeof x);
    mtx_free(&m);
  }
  static int32_t colptr[N/10 + 1], row[N];
  for (int32_t k = 0; k < N; k++) {
    row[k] = 7*(k % 10);
    colptr[k/10 + 1] = k + 1;
  }
  const char *path = in_folder("A.mtx");
  assert_int_equal(mtx_write_csc(path, 100, N/10, colptr, row, x, NULL, message, 512), MTX_OK);
  mtx_matrix m;
  assert_int_equal(mtx_read(path, 0, 0, &m, message, sizeof message), MTX_OK);
  assert_true(m.rows == 100 && m.columns == N/10 && m.nnz == N && !m.dense);
  assert_memory_equal(m.colptr, colptr, sizeof colptr);
  assert_memory_equal(m.row, row, sizeof row);
  assert_memory_equal(m.value, x, sizeof x);
  mtx_free(&m);

  const double special[] = {INFINITY, -INFINITY, -0.0, 0.1};
  path = in_folder("s.mtx");
  assert_int_equal(mtx_write_vector(path, 4, special, "a\r\n\nb\n", message, 512), MTX_OK);
  assert_contents(path, ARRAY "% a\n% b\n4 1\ninf\n-inf\n-0\n0.10000000000000001\n");
  files_in_folder(true);
}

static void test_gzip(void **state) {
  (void)state;
  const char *text = ARRAY "2 1\n1\n2\n", *path = in_folder("g.bin");
  char message[512];
  for (int members = 1; members <= 2; members++) {                  // two, one after the other
    gzFile g = gzopen(path, "wb");
    gzwrite(g, text, members == 1 ? (unsigned)strlen(text) : 20);
    gzclose(g);
  }
  gzFile g = gzopen(path, "ab");
  gzwrite(g, text + 20, (unsigned)strlen(text) - 20);
  gzclose(g);
  assert_contents(path, text);

  unsigned char bytes[512];
  FILE *f = fopen(path, "rb");
  const size_t length = fread(bytes, 1, sizeof bytes - 8, f);
  fclose(f);
  file_text t;
  put_file(path, bytes, length - 3);
  assert_int_equal(file_read(path, &t, message, sizeof message), FILE_CORRUPT);
  assert_non_null(strstr(message, "g.bin: the gzip data end too early"));
  memcpy(bytes + length, "\0\0\0x", 4);
  put_file(path, bytes, length + 3);
  assert_contents(path, text);
  put_file(path, bytes, length + 4);
  assert_int_equal(file_read(path, &t, message, sizeof message), FILE_CORRUPT);
  assert_non_null(strstr(message, "bytes after the end of the gzip data"));
  bytes[length - 6] ^= 1;                         // the check sum
  put_file(path, bytes, length);
  assert_int_equal(file_read(path, &t, message, sizeof message), FILE_CORRUPT);
  assert_non_null(strstr(message, "the gzip data are damaged"));
  assert_null(t.data);
  files_in_folder(true);
}

static void test_io_errors(void **state) {
  (void)state;
  mtx_matrix m;
  char message[512];
  assert_int_equal(mtx_read(in_folder("none"), 0, 1, &m, message, sizeof message), MTX_IO);
  assert_non_null(strstr(message, "/none: No such file or directory"));
  assert_int_equal(mtx_read(folder, 0, 1, &m, message, sizeof message), MTX_IO);
  assert_non_null(strstr(message, ": Is a directory"));
  const double x = 1;
  assert_int_equal(mtx_write_vector(in_folder("no/x"), 1, &x, NULL, message, 512), MTX_IO);
  assert_non_null(strstr(message, "/no/x: No such file or directory"));
  assert_int_equal(mtx_write_vector(folder, 1, &x, NULL, message, sizeof message), MTX_IO);
  if (access("/dev/full", W_OK) == 0) {           // a device is written in place, never replaced
    assert_int_equal(mtx_write_vector("/dev/full", 1, &x, NULL, message, 512), MTX_IO);
    assert_string_equal(message, "/dev/full: No space left on device");
    struct stat status;
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
  }
  put_file(in_folder("empty"), "", 0);
  assert_int_equal(mtx_read(in_folder("empty"), 0, 1, &m, message, sizeof message), MTX_BAD_INPUT);
  files_in_folder(true);
}

static void test_atomic_output(void **state) {
  (void)state;
  const char *path = in_folder("out");
  put_file(path, "old", 3);
  assert_int_equal(chmod(path, 0640), 0);
  char message[512];
  file_output *output;
  assert_int_equal(file_create(path, &output, message, sizeof message), FILE_OK);
  file_write(output, "new", 3);
  assert_int_equal(files_in_folder(false), 2);    // the temporary one is in the same folder
  assert_contents(path, "old");
  file_abandon(output);
  assert_int_equal(files_in_folder(false), 1);
  assert_contents(path, "old");

  assert_int_equal(symlink("out", in_folder("link")), 0);
  assert_int_equal(file_create(in_folder("link"), &output, message, sizeof message), FILE_OK);
  file_write(output, "new", 3);
  assert_int_equal(file_commit(output, message, sizeof message), FILE_OK);
  assert_int_equal(files_in_folder(false), 2);
  assert_contents(path, "new");
  struct stat status;
  assert_int_equal(lstat(in_folder("link"), &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);

  file_output *many[17];                          // what an interrupt does, with every place taken
  for (int k = 0; k < 16; k++)
    assert_int_equal(file_create(path, &many[k], message, sizeof message), FILE_OK);
  assert_int_equal(file_create(path, &many[16], message, sizeof message), FILE_IO);
  assert_null(many[16]);
  assert_int_equal(files_in_folder(false), 18);
  file_unlink_pending();
  assert_int_equal(files_in_folder(false), 2);
  assert_int_equal(file_commit(many[0], message, sizeof message), FILE_IO);
  for (int k = 1; k < 16; k++) file_abandon(many[k]);
  assert_contents(path, "new");
  assert_int_equal(file_create(path, &output, message, sizeof message), FILE_OK);
  assert_int_equal(file_commit(output, message, sizeof message), FILE_OK);
  assert_contents(path, "");
  files_in_folder(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accepted),          cmocka_unit_test(test_accepted_special),
      cmocka_unit_test(test_refused),           cmocka_unit_test(test_random_matrices),
      cmocka_unit_test(test_threads_agree),     cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_gzip),              cmocka_unit_test(test_io_errors),
      cmocka_unit_test(test_atomic_output)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
