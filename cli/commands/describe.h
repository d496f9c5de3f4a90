// describe.h: the flags of a method in words, for lists, pages and JSON.
#pragma once

#include <jansson.h>

#include "option_table.h"

typedef enum describe_field {
  DESCRIBE_NEEDS,
  DESCRIBE_ACCEPTS,
  DESCRIBE_ASSUMES,
  DESCRIBE_TRAITS
} describe_field;

// Words of JSON, one by one; NULL after the last that holds.
const char *describe_word(const perp_method *method, describe_field field, int index);
json_t *describe_json(const perp_method *method, describe_field field);
// Phrases for people: "the diagonal of A; a symmetric A", or "".
const char *describe_list(const perp_method *method, describe_field field, char *buffer,
                          size_t size);
const char *describe_tier(perp_tier tier);                   // "reference"
const char *describe_tier_text(perp_tier tier);              // "methods of papers, ..."
const char *describe_iterations(const perp_method *method);   // "Newton"; NULL: an unknown method's
