// json_check.c: reads one JSON object from stdin and compares members: json_check status=solved x
//
// KEY=VALUE asks for that value (strings as they are, numbers and booleans as printed), KEY= for
// null, KEY alone for its presence, !KEY for its absence. Exits with 0 only if all hold.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(const json_t *value, char *text, size_t size) {
  if (json_is_string(value))
    snprintf(text, size, "%s", json_string_value(value));
  else if (json_is_integer(value))
    snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  else if (json_is_real(value))
    snprintf(text, size, "%g", json_real_value(value));
  else if (json_is_boolean(value))
    snprintf(text, size, "%s", json_is_true(value) ? "true" : "false");
  else if (json_is_array(value))
    snprintf(text, size, "%zu items", json_array_size(value));
  else
    snprintf(text, size, "%s", "");
}

int main(int argc, char **argv) {
  json_error_t error;
  json_t *object = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
  if (!json_is_object(object)) {
    fprintf(stderr, "not one JSON object: %d:%d: %s\n", error.line, error.column, error.text);
    return 1;
  }
  int bad = 0;
  for (int i = 1; i < argc; i++) {
    char key[128], text[512];
    const int absent = argv[i][0] == '!';
    const char *name = argv[i] + absent, *equals = strchr(name, '=');
    snprintf(key, sizeof key, "%.*s", equals ? (int)(equals - name) : (int)strlen(name), name);
    const json_t *value = json_object_get(object, key);
    if (absent ? value != NULL : value == NULL) {
      fprintf(stderr, "'%s' is %s\n", key, absent ? "there" : "missing");
      bad = 1;
    } else if (equals) {
      print(value, text, sizeof text);
      if (strcmp(text, equals + 1) == 0) continue;
      fprintf(stderr, "'%s' is '%s', not '%s'\n", key, text, equals + 1);
      bad = 1;
    }
  }
  json_decref(object);
  return bad;
}
