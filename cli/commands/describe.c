// describe.c: the flags of a method in words, for lists, pages and JSON.
#include "describe.h"

#include "text.h"

typedef struct bit_name { uint32_t bit; const char *word; } bit_name;

static const bit_name needs[] = {
  {PERP_NEEDS_DIAGONAL, "diagonal"},
  {PERP_NEEDS_SWEEP, "sweep or columns"},
  {PERP_NEEDS_SUBMATRIX, "submatrix"},
  {PERP_NEEDS_TRANSPOSE, "transpose"},
  {PERP_NEEDS_CONTACTS, "the contact LCP (27)"},
  {PERP_NEEDS_TRIDIAGONAL, "a tridiagonal A"},
  {PERP_NEEDS_BODIES, "contacts as an operator (perp_from_contact)"},
  {PERP_NEEDS_SYMMETRIC, "a symmetric A"},
  {PERP_NEEDS_NEARLY_SYMMETRIC, "a nearly symmetric A"},
  {PERP_NEEDS_POSITIVE_DIAGONAL, "a positive diagonal"},
  {0}
};
static const bit_name accepts[] = {
  {PERP_ACCEPTS_FREE, "free rows"},
  {PERP_ACCEPTS_BOXED, "any bounds"},
  {0}
};
static const bit_name traits[] = {
  {PERP_TRAIT_GUESS, "uses the guess"},
  {PERP_TRAIT_ANYTIME, "useful when stopped early"},
  {PERP_TRAIT_FINITE, "ends after finitely many steps"},
  {PERP_TRAIT_NO_ALLOC, "allocates nothing while solving"},
  {PERP_TRAIT_SCALES, "gains from scaling"},
  {PERP_TRAIT_ALL, "looks for all solutions"},
  {PERP_TRAIT_SPLITS, "prefers components one by one"},
  {PERP_TRAIT_META, "runs other methods"},
  {PERP_TRAIT_EQUILIBRATE, "works on equilibrated rows and columns"},
  {PERP_TRAIT_LINEAR, "takes a linear solver"},
  {PERP_TRAIT_QUICK, "solves small dense problems on the stack"},
  {0}
};

const char *describe_word(const perp_method *method, describe_field field, int index) {
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
    if ((bits & names->bit) && index-- == 0) return names->word;
  }
  return NULL;
}

const char *describe_list(const perp_method *method, describe_field field, char *buffer,
                          size_t size) {
  *buffer = 0;
  const char *word;
  for (int i = 0; (word = describe_word(method, field, i)) != NULL; i++) {
    text_append(buffer, size, "%s%s", i ? ", " : "", word);
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
