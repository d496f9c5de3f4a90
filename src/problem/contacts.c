// contacts.c: finds the contacts of E13 (27) in the entries of A.
//
// A slack column holds ones over a zero diagonal. The slack's row holds mu >= 0 at the normal and
// -1 at the same tangential rows. Each such column makes a contact; all rows must belong to one.
// Cost: one pass over the entries.
#include "contacts.h"

#include <math.h>

#include "contact_parts.h"
#include "operator.h"
#include "plain.h"
#include "symmetry.h"
#include "vector.h"

// Values of seen[]; >= 0: tangential row of that contact.
enum { UNCLAIMED = -1, NORMAL = -2, SLACK = -3 };

void contacts_layout(contacts *c, arena *memory, int32_t n) {
  *c = (contacts){.normal = ARENA_ARRAY(memory, int32_t, n),
                  .slack = ARENA_ARRAY(memory, int32_t, n),
                  .first = ARENA_ARRAY(memory, int32_t, n + 1),
                  .tangent = ARENA_ARRAY(memory, int32_t, n),
                  .mu = ARENA_ARRAY(memory, double, n)};
}

static int is_slack(const perp_csc *A, int32_t j) {
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
    if (A->value[p] != 1.0 || A->row[p] == j) return 0;
  return A->colptr[j + 1] > A->colptr[j];
}

// Reads row j of a contact whose column j is a slack: mu at one normal, -1 where column j has 1.
static int read_contact(contacts *c, const perp_csc *A, const perp_csc *T, int32_t j, char *reason,
                        size_t size) {
  const int32_t k = c->count;
  int32_t p = A->colptr[j];
  const int32_t end = A->colptr[j + 1];
  c->normal[k] = UNCLAIMED;
  c->slack[k] = j;
  c->mu[k] = 0.0;
  for (int32_t q = T->colptr[j]; q < T->colptr[j + 1]; q++) {
    const int32_t i = T->row[q];
    const double a = T->value[q];
    if (p < end && A->row[p] == i && a == -1.0) {
      c->tangent[c->first[k] + (p - A->colptr[j])] = i;
      p++;
    } else if (a > 0.0 && c->normal[k] == UNCLAIMED) {
      c->normal[k] = i;
      c->mu[k] = a;
    } else {
      plain_print(reason, size, "A[%d][%d] = %.4g does not fit into [mu -E' 0]", j, i, a);
      return 0;
    }
  }
  if (p < end) {
    plain_print(reason, size, "row %d has no entry -1 at column %d", j, A->row[p]);
    return 0;
  }
  const int32_t K = end - A->colptr[j];
  c->directions = K > c->directions ? K : c->directions;
  c->first[k + 1] = c->first[k] + K;
  c->count++;
  return 1;
}

static int claim(int32_t *seen, int32_t i, int32_t as, char *reason, size_t size) {
  if (seen[i] == UNCLAIMED) {
    seen[i] = as;
    return 1;
  }
  plain_print(reason, size, "row %d belongs to two contacts", i);
  return 0;
}

// Merges column j with row j and skips the rows and columns of slacks.
static double asymmetry_of_B(const perp_csc *A, const perp_csc *T, const int32_t *seen) {
  const int32_t n = A->columns;
  double worst = 0.0;
  for (int32_t j = 0; j < n; j++) {
    if (seen[j] == SLACK) continue;
    int32_t p = A->colptr[j], q = T->colptr[j];
    for (;;) {
      const int32_t a = p < A->colptr[j + 1] ? A->row[p] : n,
                    b = q < T->colptr[j + 1] ? T->row[q] : n;
      const int32_t i = a < b ? a : b;
      if (i >= n) break;
      const double left = a == i ? A->value[p++] : 0.0, right = b == i ? T->value[q++] : 0.0;
      if (seen[i] != SLACK && left != right)
        worst = max2(worst, asymmetry_of(left, right, csc_entry(A, i, i), csc_entry(A, j, j)));
    }
  }
  return worst;
}

int contacts_find(contacts *c, const perp_csc *A, const perp_csc *T, int32_t *seen, char *reason,
                  size_t size) {
  const int32_t n = A->columns;
  c->count = c->directions = 0;
  c->first[0] = 0;
  for (int32_t j = 0; j < n; j++) seen[j] = UNCLAIMED;
  for (int32_t j = 0; j < n; j++)
    if (is_slack(A, j)) {
      if (c->first[c->count] + A->colptr[j + 1] - A->colptr[j] > n) {
        plain_print(reason, size, "columns of ones have more than n = %d entries", n);
        return 0;
      }
      if (!read_contact(c, A, T, j, reason, size)) return 0;
    }
  if (c->count == 0) {
    plain_print(reason, size, "no column holds ones over a zero diagonal");
    return 0;
  }
  int32_t smooth = 0;   // contacts with mu = 0: their slack row does not show the normal
  for (int32_t k = 0; k < c->count; k++) {
    if (!claim(seen, c->slack[k], SLACK, reason, size)) return 0;
    for (int32_t t = c->first[k]; t < c->first[k + 1]; t++)
      if (!claim(seen, c->tangent[t], k, reason, size)) return 0;
    if (c->normal[k] == UNCLAIMED) smooth++;
    else if (!claim(seen, c->normal[k], NORMAL, reason, size)) return 0;
  }
  for (int32_t i = 0, k = 0; i < n; i++) {   // they get the unclaimed rows, in order
    if (seen[i] != UNCLAIMED) continue;
    while (k < c->count && c->normal[k] != UNCLAIMED) k++;
    if (k == c->count) {
      plain_print(reason, size, "row %d belongs to no contact", i);
      return 0;
    }
    c->normal[k] = i;
    seen[i] = NORMAL;
    smooth--;
  }
  if (smooth > 0) {
    plain_print(reason, size, "%d %s no normal", smooth,
                smooth == 1 ? "contact has" : "contacts have");
    return 0;
  }
  c->asymmetry = asymmetry_of_B(A, T, seen);
  return 1;
}

int contacts_search(contacts *c, const perp_csc *A, const perp_csc *T, const perp_allocator *from,
                    char *reason, size_t size) {
  const int32_t n = A->columns;
  arena memory = {0};
  contacts_layout(c, &memory, n);
  ARENA_ARRAY(&memory, int32_t, n);
  const size_t bytes = arena_block_bytes(&memory);
  void *block = from->allocate(from->context, bytes);
  if (block == NULL) return -2;
  memory = arena_on_block(block, bytes);
  contacts_layout(c, &memory, n);
  c->block = block;
  return contacts_find(c, A, T, ARENA_ARRAY(&memory, int32_t, n), reason, size);
}

void contacts_of(contacts *c, const perp_contacts *from) {
  c->count = from->count;
  c->directions = from->directions;
  c->asymmetry = 0.0;
  c->first[0] = 0;
  for (int32_t k = 0; k < from->count; k++) {
    c->normal[k] = k;
    c->slack[k] = contact_slack_row(from, k);
    c->mu[k] = from->mu[k];
    for (int32_t d = 0; d < from->directions; d++)
      c->tangent[c->first[k] + d] = contact_tangent_row(from, k, d);
    c->first[k + 1] = c->first[k] + from->directions;
  }
}
