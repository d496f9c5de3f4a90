// suggest.c: the nearest word by edit distance, with swapped neighbours as one edit.
#include "suggest.h"

#include <ctype.h>
#include <string.h>

enum { WORD_LENGTH_MAX = 63 };

static int fold(char c) { return c == '_' ? '-' : tolower((unsigned char)c); }

// Optimal string alignment: insert, delete, replace, swap neighbours.
static int distance(const char *a, const char *b) {
  const int m = (int)strlen(a), n = (int)strlen(b);
  if (m > WORD_LENGTH_MAX || n > WORD_LENGTH_MAX) return WORD_LENGTH_MAX;
  int row[3][WORD_LENGTH_MAX + 1];   // rows i-2, i-1, i of the table, in turns
  for (int j = 0; j <= n; j++) row[0][j] = j;
  for (int i = 1; i <= m; i++) {
    int *now = row[i % 3];
    const int *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= n; j++) {
      const int same = fold(a[i - 1]) == fold(b[j - 1]);
      int best = last[j - 1] + !same;
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
          before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[m % 3][n];
}

static int starts(const char *word, const char *candidate) {
  while (*word && fold(*word) == fold(*candidate)) word++, candidate++;
  return !*word;
}

const char *suggest(const char *word, suggest_at at, const void *context) {
  const int length = (int)strlen(word);
  if (length == 0 || length > WORD_LENGTH_MAX) return NULL;
  const int limit = length < 3 ? 1 : (length + 1) / 3;
  const char *best = NULL, *candidate;
  int best_distance = limit + 1;
  for (int i = 0; (candidate = at(context, i)) != NULL; i++) {
    int d = distance(word, candidate);
    if (d > limit && length >= 3 && starts(word, candidate))
      d = limit;   // a beginning is a near miss
    if (d < best_distance) best = candidate, best_distance = d;
  }
  return best;
}
