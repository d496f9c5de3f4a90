// suggest.h: "did you mean": the nearest word of a list.
#pragma once

typedef const char *(*suggest_at)(const void *context, int index);   // NULL after the last word

// The candidate nearest to the word by edit distance, or NULL if none is near. '-' and '_' are
// alike, and so are upper and lower case.
const char *suggest(const char *word, suggest_at at, const void *context);
