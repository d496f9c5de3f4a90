// describe.c: the flags of a method in words, for lists, pages and JSON.
#include "describe.h"

#include "text.h"

// A word is for programs that read JSON, a phrase for people. They differ where the word is a name
// from the library's interface.
typedef struct bit_name { uint32_t bit; const char *word, *phrase; } bit_name;

static const bit_name needs[] = {
  {PERP_NEEDS_DIAGONAL, "diagonal", "the diagonal of A"},
  {PERP_NEEDS_SWEEP, "sweep or columns", "Gauss-Seidel sweeps over A or its columns"},
  {PERP_NEEDS_SUBMATRIX, "submatrix", "the entries of A"},
  {PERP_NEEDS_TRANSPOSE, "transpose", "products with A'"},
  {PERP_NEEDS_CONTACTS, "the contact LCP (27)", "the A of contacts with friction, E13 (27)"},
  {PERP_NEEDS_TRIDIAGONAL, "a tridiagonal A", NULL},
  {PERP_NEEDS_BODIES, "contacts as an operator (perp_from_contacts)",
   "bodies and contacts, as in 'perp run' and perp_from_contacts()"},
  {PERP_NEEDS_SYMMETRIC, "a symmetric A", NULL},
  {PERP_NEEDS_NEARLY_SYMMETRIC, "a nearly symmetric A", "an A that is symmetric up to a thousandth"},
  {PERP_NEEDS_POSITIVE_DIAGONAL, "a positive diagonal", NULL},
  {0}
};
static const bit_name accepts[] = {
  {PERP_ACCEPTS_FREE, "free rows", "rows without bounds"},
  {PERP_ACCEPTS_BOXED, "any bounds", "any other bounds"},
  {0}
};
static const bit_name traits[] = {
  {PERP_TRAIT_GUESS, "uses the guess", "a good guess makes it faster"},
  {PERP_TRAIT_ANYTIME, "useful when stopped early", "returns a useful x when it is stopped early"},
  {PERP_TRAIT_FINITE, "ends after finitely many steps", NULL},
  {PERP_TRAIT_NO_ALLOC, "allocates nothing while solving", "allocates no memory while it solves"},
  {PERP_TRAIT_SCALES, "gains from scaling", "faster if A is scaled by its diagonal"},
  {PERP_TRAIT_ALL, "looks for all solutions", NULL},
  {PERP_TRAIT_SPLITS, "prefers components one by one", "solves connected components one by one"},
  {PERP_TRAIT_META, "runs other methods", NULL},
  {PERP_TRAIT_EQUILIBRATE, "works on equilibrated rows and columns",
   "scales rows and columns to entries near 1"},
  {PERP_TRAIT_LINEAR, "takes a linear solver", "--linear chooses its linear solver"},
  {PERP_TRAIT_QUICK, "solves small dense problems on the stack",
   "first tries principal pivots on small dense problems"},
  {0}
};

static const char *find(const perp_method *method, describe_field field, int index, int phrase) {
  if (field == DESCRIBE_ASSUMES) {
    for (int i = 0; i < PERP_CLASS_COUNT; i++) {
      if ((method->assumes >> i & 1u) && index-- == 0) return perp_class_name((perp_class)i);
    }
    if (index == 0 && (method->assumes & PERP_ASSUMES_NO_PROOF)) return "no class";
    return NULL;
  }
  const bit_name *names = field == DESCRIBE_NEEDS     ? needs
                          : field == DESCRIBE_ACCEPTS ? accepts
                                                      : traits;
  const uint32_t bits = field == DESCRIBE_NEEDS     ? method->needs
                        : field == DESCRIBE_ACCEPTS ? method->accepts
                                                    : method->traits;
  for (; names->word; names++) {
    if ((bits & names->bit) && index-- == 0)
      return phrase && names->phrase ? names->phrase : names->word;
  }
  return NULL;
}

const char *describe_word(const perp_method *method, describe_field field, int index) {
  return find(method, field, index, 0);
}

const char *describe_list(const perp_method *method, describe_field field, char *buffer,
                          size_t size) {
  *buffer = 0;
  const char *phrase;
  for (int i = 0; (phrase = find(method, field, i, 1)) != NULL; i++) {
    text_append(buffer, size, "%s%s", i ? "; " : "", phrase);
  }
  return buffer;
}

json_t *describe_json(const perp_method *method, describe_field field) {
  json_t *list = json_array();
  const char *word;
  for (int i = 0; (word = describe_word(method, field, i)) != NULL; i++)
    json_array_append_new(list, json_string(word));
  return list;
}

static const struct { const char *name, *text; } tiers[] = {
#define PERP_X(id, name, text) {name, text},
  PERP_TIER_LIST(PERP_X)
#undef PERP_X
};

const char *describe_tier(perp_tier tier) { return tiers[tier].name; }
const char *describe_tier_text(perp_tier tier) { return tiers[tier].text; }

const char *describe_iterations(const perp_method *method) {
  return method && method->iteration ? method->iteration : "outer";
}
