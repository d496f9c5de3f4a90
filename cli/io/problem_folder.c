// problem_folder.c: a problem written as a directory, complete or not at all.
#include "problem_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "grid_file.h"
#include "interrupt.h"
#include "message.h"
#include "mtx.h"
#include "text.h"

typedef enum part { A, B, LO, HI, X, X0, GRID, CELLS, PARTS } part;
static const char *const names[PARTS] = {"A.mtx", "b.mtx", "lo.mtx", "hi.mtx", "x.mtx", "x0.mtx",
                                         GRID_FILE, "cells.csv"};

static int has_part(const problem_parts *what, int which) {
  const int have[PARTS] = {1, 1, what->lo != NULL, what->hi != NULL, what->x != NULL,
                           what->x0 != NULL, what->grid != NULL, what->cells != NULL};
  return have[which];
}

static void part_path(const char *folder, int which, int packed, char *path) {
  snprintf(path, FILE_PATH_BYTES, "%.*s/%s%s", FILE_PATH_BYTES - 32, folder, names[which],
           packed ? ".gz" : "");
}

// Rows count from 1, as in A.mtx; cells from 0, as in tables of perp export.
static int write_cells(const char *path, const problem_parts *what, char *message, size_t size) {
  file_output *output;
  const int code = file_create(path, &output, message, size);
  if (code != FILE_OK) return code;
  file_write(output, "row,i,j,k\n", strlen("row,i,j,k\n"));
  for (int32_t r = 0; r < what->n; r++) {
    const int32_t *at = &what->cells[3*(size_t)r];
    char line[64];
    const int length = snprintf(line, sizeof line, "%d,%d,%d,%d\n", (int)r + 1, (int)at[0],
                                (int)at[1], (int)at[2]);
    file_write(output, line, (size_t)length);
  }
  return file_commit(output, message, size);
}

// `shown` is the name that the folder will have.
static int write_part(const char *folder, const char *shown, int which,
                      const problem_parts *what) {
  const double *vectors[PARTS] = {NULL, what->b, what->lo, what->hi, what->x, what->x0,
                                  NULL, NULL};
  char path[FILE_PATH_BYTES], message[512] = "";
  const size_t length = strlen(folder);
  part_path(folder, which, what->packed, path);
  int code;
  if (which == A)
    code = mtx_write_csc(path, what->n, what->n, what->colptr, what->row, what->value,
                         what->comment, message, sizeof message);
  else if (which == GRID) code = grid_write(path, what->grid, message, sizeof message);
  else if (which == CELLS) code = write_cells(path, what, message, sizeof message);
  else
    code = mtx_write_vector(path, what->n, vectors[which], what->comment, message, sizeof message);
  if (code && !strncmp(message, folder, length))
    return fail(code, "%s%s", shown, message + length);
  return code ? fail(code, "%s", message) : CODE_OK;
}

static void remove_part(const char *folder, int which, int packed) {
  char path[FILE_PATH_BYTES];
  part_path(folder, which, packed, path);
  unlink(path);
}

static int fill(const char *folder, const char *shown, const problem_parts *what) {
  int code = CODE_OK, done = 0;
  for (; done < PARTS && !code; done++) {
    if (has_part(what, done)) code = write_part(folder, shown, done, what);
    if (!code && interrupt_seen()) code = CODE_INTERRUPTED;
  }
  for (int k = 0; k < PARTS; k++) {   // what another problem left must not mix with this one
    const int has = has_part(what, k);
    if (code ? has && k < done : !has) remove_part(folder, k, what->packed);
    if (!code) remove_part(folder, k, !what->packed);
  }
  return code;
}

int problem_folder_fill(const char *folder, const problem_parts *what) {
  return fill(folder, folder, what);
}

// A new directory is prepared under another name.
int problem_folder_create(const char *target, const problem_parts *what) {
  char folder[FILE_PATH_BYTES];
  snprintf(folder, sizeof folder, "%.*s.perp-XXXXXX", FILE_PATH_BYTES - 64, target);
  if (!mkdtemp(folder))
    return fail(CODE_IO, "%s: cannot make the directory: %s", target, strerror(errno));
  int code = fill(folder, target, what);
  const mode_t mask = umask(0);
  umask(mask);
  if (!code && (chmod(folder, 0777 & ~mask) != 0 || rename(folder, target) != 0)) {
    code = fail(CODE_IO, "%s: cannot make the directory: %s", target, strerror(errno));
    for (int k = 0; k < PARTS; k++) remove_part(folder, k, what->packed);
  }
  if (code) rmdir(folder);
  return code;
}

const char *problem_folder_files(const problem_parts *what, char *out, size_t size) {
  *out = 0;
  for (int k = 0; k < PARTS; k++)
    if (has_part(what, k))
      text_append(out, size, "%s%s%s", *out ? " " : "", names[k], what->packed ? ".gz" : "");
  return out;
}
