// guard.c: no file is both read and overwritten by one command.
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum role { INPUT, OUTPUT } role;

typedef struct entry {
  dev_t device;
  ino_t number;
  role role;
  char name[256];              // for messages
} entry;

static entry *known;           // known_room
static size_t known_count, known_room;

static entry *find(const struct stat *status) {
  for (size_t k = 0; k < known_count; k++)
    if (known[k].device == status->st_dev && known[k].number == status->st_ino) return &known[k];
  return NULL;
}

// Without memory for another entry nothing is noted: the check is then weaker, the work goes on.
static void note(const struct stat *status, role what, const char *name) {
  if (known_count == known_room) {
    const size_t room = 2*known_room + 8;
    entry *grown = realloc(known, room*sizeof *grown);
    if (!grown) return;
    known = grown;
    known_room = room;
  }
  entry *added = &known[known_count++];
  *added = (entry){.device = status->st_dev, .number = status->st_ino, .role = what};
  snprintf(added->name, sizeof added->name, "%s", name);
}

static int admit(const struct stat *status, role what, const char *name, char *message,
                 size_t size) {
  if (!S_ISREG(status->st_mode)) return 1;
  const entry *other = find(status);
  if (other && other->role != what) {
    const char *input = what == INPUT ? name : other->name;
    const char *output = what == OUTPUT ? name : other->name;
    if (message && size && strcmp(input, output) != 0)
      snprintf(message, size, "%s is the same file as %s, which is read here; choose another name "
               "for the output", output, input);
    else if (message && size)
      snprintf(message, size, "%s is read here and would be overwritten; choose another name for "
               "the output", output);
    return 0;
  }
  if (!other) note(status, what, name);
  return 1;
}

int guard_input(const struct stat *status, const char *name, char *message, size_t size) {
  return admit(status, INPUT, name, message, size);
}

int guard_output(const struct stat *status, const char *name, char *message, size_t size) {
  return admit(status, OUTPUT, name, message, size);
}

void guard_release(const struct stat *status) {
  entry *gone = find(status);
  if (gone) *gone = known[--known_count];
}
