// document.c: text files made from the tables: written in memory, then to disk in one piece.
#include "document.h"

#include <stdlib.h>

#include "file.h"
#include "message.h"

int document_save(const char *path, document_writer writer, const void *what) {
  char *text = NULL, message[512] = "";
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  if (!memory) return fail(CODE_IO, "out of memory");
  writer(memory, what);
  if (fclose(memory) != 0) {
    free(text);
    return fail(CODE_IO, "out of memory");
  }
  const int code = file_save(path, text, length, message, sizeof message);
  free(text);
  return code ? fail(code, "%s", message) : CODE_OK;
}
