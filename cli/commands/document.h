// document.h: text files made from the tables: written in memory, then to disk in one piece.
#pragma once

#include <stdio.h>

typedef void (*document_writer)(FILE *out, const void *what);

int document_save(const char *path, document_writer writer,
                  const void *what);   // 0, or an exit code; "-": stdout
