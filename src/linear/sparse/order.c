// order.c: finds an elimination order with little fill by approximate minimum degree.
//
// Eliminating a variable joins its neighbours to a clique. The quotient graph stores the clique as
// an element, a list of its variables, instead of edges. Eliminating p makes the element
//     L_p = (variables of p) u (L_e of all elements e of p) \ {p},
// which absorbs those e. The degree of i in L_p has the upper bound
//     d_i = min(d_i + |L_p \ i|,  |variables of i| + |L_p \ i| + sum over e of i of |L_e \ L_p|).
// One pass over the lists of L_p gives all |L_e \ L_p|. Elements with L_e inside L_p are absorbed,
// too. Variables with equal lists are found by hashing and merged. Variables with no neighbour
// outside L_p are eliminated with p. Nearly full rows are left out of the graph and come last.
// P. Amestoy, T. Davis, I. Duff: An approximate minimum degree ordering algorithm, SIAM J. Matrix
// Anal. Appl. 17 (1996). Ties are broken by the lists alone, so a pattern always gets the same
// order. Cost: about |A| + n operations in practice; memory for 2.5 |A| + 15 n integers.
#include "sparse_lu.h"

#include <math.h>

#include "allocator.h"
#include "arena.h"

enum { NONE = -1 };

typedef struct quotient {
  int32_t n;
  int32_t *list;       // room: for every live node its elements, then its variables
  int64_t room, used;
  int64_t *start;      // n: start of a node's list
  int32_t *length;     // n: length of the list
  int32_t *elements;   // n: number of elements in a variable's list; NONE: the node is an element
  int32_t *size;       // n: variables that a node represents; 0: merged or eliminated; < 0: in L_p
  int32_t *degree;     // n: bound of a variable's degree; |L_e| of an element
  int32_t *mark;       // n: 0: a dead element; others are below `stamp` when a pass begins
  int32_t *head;       // n: heads of the lists of variables by degree
  int32_t *next, *previous;   // n: links of such a list; next also links a hash bucket
  int32_t *bucket;     // n: heads of the hash buckets
  int32_t *hash;       // n
  int32_t *chain, *tail;      // n: list of the variables eliminated with a node: links, last one
  int32_t stamp, largest;     // largest |L_p| so far; a pass sets marks up to stamp + largest
  int32_t least;       // all lists of a lower degree are empty
} quotient;

static void layout(quotient *q, arena *memory, int32_t n) {
  q->n = n;
  q->start = ARENA_ARRAY(memory, int64_t, n);
  int32_t **const arrays[] = {&q->length, &q->elements, &q->size, &q->degree, &q->mark, &q->head,
                              &q->next, &q->previous, &q->bucket, &q->hash, &q->chain, &q->tail};
  for (size_t k = 0; k < sizeof arrays/sizeof arrays[0]; k++)
    *arrays[k] = ARENA_ARRAY(memory, int32_t, n);
  q->list = ARENA_ARRAY(memory, int32_t, q->room);
}

static void enlist(quotient *q, int32_t i) {
  const int32_t d = q->degree[i], first = q->head[d];
  q->next[i] = first;
  q->previous[i] = NONE;
  if (first != NONE) q->previous[first] = i;
  q->head[d] = i;
  if (d < q->least) q->least = d;
}

static void unlist(quotient *q, int32_t i) {
  const int32_t before = q->previous[i], after = q->next[i];
  if (after != NONE) q->previous[after] = before;
  if (before != NONE) q->next[before] = after;
  else q->head[q->degree[i]] = after;
}

// Appends j and its chain to the chain of i, so that they are eliminated right after i.
static void append(quotient *q, int32_t i, int32_t j) {
  q->chain[q->tail[i]] = j;
  q->tail[i] = q->tail[j];
  q->size[j] = 0;
  q->length[j] = 0;
}

// Makes the lists of A + A' without the diagonal: list j is column j and row j. count: n, work.
static void symmetric_lists(quotient *q, const perp_csc *A, int32_t *count) {
  const int32_t n = q->n;
  for (int32_t i = 0; i < n; i++) count[i] = 0;
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      if (i == j) continue;
      count[i]++;
      count[j]++;
    }
  q->used = 0;
  for (int32_t i = 0; i < n; i++) {
    q->start[i] = q->used;
    q->used += count[i];
    q->length[i] = 0;
  }
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      if (i == j) continue;
      q->list[q->start[i] + q->length[i]++] = j;
      q->list[q->start[j] + q->length[j]++] = i;
    }
  for (int32_t i = 0; i < n; i++) q->mark[i] = NONE;
  // Remove duplicates and close the gaps between lists.
  int64_t put = 0;
  for (int32_t i = 0; i < n; i++) {
    const int64_t from = q->start[i], to = from + q->length[i];
    q->start[i] = put;
    for (int64_t p = from; p < to; p++) {
      const int32_t j = q->list[p];
      if (q->mark[j] == i) continue;
      q->mark[j] = i;
      q->list[put++] = j;
    }
    q->length[i] = (int32_t)(put - q->start[i]);
  }
  q->used = put;
}

// Moves the live lists to the front. First it replaces the first entry of each list by the node's
// number, coded as -2 - i; start keeps the entry. Then one pass through the memory finds the lists.
static void compact(quotient *q) {
  for (int32_t i = 0; i < q->n; i++) {
    if (q->length[i] == 0) continue;
    const int64_t p = q->start[i];
    q->start[i] = q->list[p];
    q->list[p] = -2 - i;
  }
  int64_t put = 0;
  for (int64_t p = 0; p < q->used;) {
    const int32_t name = q->list[p];
    if (name >= NONE) {
      p++;
      continue;
    }
    const int32_t i = -2 - name;
    const int64_t from = p;
    q->list[put] = (int32_t)q->start[i];
    q->start[i] = put++;
    for (int32_t k = 1; k < q->length[i]; k++) q->list[put++] = q->list[from + k];
    p = from + q->length[i];
  }
  q->used = put;
}

// Adds a live variable to L_p. Returns its size.
static int32_t gather(quotient *q, int32_t i) {
  const int32_t size = q->size[i];
  q->size[i] = -size;
  unlist(q, i);
  return size;
}

// Makes p an element with the list L_p and returns |L_p|. Sets size < 0 in L_p until the step ends.
static int32_t make_element(quotient *q, int32_t p) {
  int32_t total = 0;
  const int32_t own = q->elements[p];
  q->size[p] = -q->size[p];                         // keeps p out of L_p
  if (own == 0) {                                   // p has variables only: compact its list
    int64_t put = q->start[p];
    const int64_t end = put + q->length[p];
    for (int64_t k = put; k < end; k++) {
      const int32_t i = q->list[k];
      if (q->size[i] <= 0) continue;
      total += gather(q, i);
      q->list[put++] = i;
    }
    q->length[p] = (int32_t)(put - q->start[p]);
  } else {
    int64_t needed = q->length[p] - own;
    for (int32_t k = 0; k < own; k++) needed += q->length[q->list[q->start[p] + k]];
    if (needed > q->room - q->used) compact(q);
    const int64_t first = q->used, from = q->start[p];
    int64_t put = first;
    for (int32_t k = 0; k <= own; k++) {            // every element, then the variables of p itself
      const int32_t e = k < own ? q->list[from + k] : p;
      const int64_t begin = k < own ? q->start[e] : from + own;
      const int64_t end = k < own ? begin + q->length[e] : from + q->length[p];
      for (int64_t l = begin; l < end; l++) {
        const int32_t i = q->list[l];
        if (q->size[i] <= 0) continue;
        total += gather(q, i);
        q->list[put++] = i;
      }
      if (k < own) {
        q->mark[e] = 0;
        q->length[e] = 0;
      }
    }
    q->start[p] = first;
    q->length[p] = (int32_t)(put - first);
    q->used = put;
  }
  q->elements[p] = NONE;
  q->degree[p] = total;
  return total;
}

// Sets mark[e] - stamp = |L_e \ L_p| for every element e of a variable in L_p.
static void count_outside(quotient *q, int32_t p) {
  for (int32_t k = 0; k < q->length[p]; k++) {
    const int32_t i = q->list[q->start[p] + k], size = -q->size[i];
    for (int64_t l = q->start[i], end = l + q->elements[i]; l < end; l++) {
      const int32_t e = q->list[l];
      if (q->mark[e] >= q->stamp) q->mark[e] -= size;
      else if (q->mark[e] != 0) q->mark[e] = q->degree[e] + q->stamp - size;
    }
  }
}

// Computes new lists and degrees of the variables of L_p and puts them into hash buckets. Returns
// the number of variables eliminated with p.
static int32_t update_degrees(quotient *q, int32_t p) {
  int32_t together = 0;
  for (int32_t k = 0; k < q->length[p]; k++) {
    const int32_t i = q->list[q->start[p] + k];
    const int64_t first = q->start[i], variables = first + q->elements[i];
    const int64_t end = first + q->length[i];
    int64_t put = first;
    int64_t d = 0;
    uint32_t hash = 0;
    for (int64_t l = first; l < variables; l++) {
      const int32_t e = q->list[l];
      if (q->mark[e] == 0) continue;
      const int32_t outside = q->mark[e] - q->stamp;
      if (outside > 0) {
        d += outside;
        q->list[put++] = e;
        hash += (uint32_t)e;
      } else {                                       // L_e is inside L_p
        q->mark[e] = 0;
        q->length[e] = 0;
      }
    }
    const int64_t kept = put;                        // reserve one place after the elements for p
    for (int64_t l = variables; l < end; l++) {
      const int32_t j = q->list[l];
      if (q->size[j] <= 0) continue;
      d += q->size[j];
      q->list[put++] = j;
      hash += (uint32_t)j;
    }
    if (d == 0) {                                    // no neighbour outside L_p: eliminate with p
      together -= q->size[i];
      append(q, p, i);
      continue;
    }
    if (d < q->degree[i]) q->degree[i] = (int32_t)d;
    // There is room for p: either variable p or an element that p absorbed has left the list of i.
    q->list[put] = q->list[kept];
    q->list[kept] = q->list[first];
    q->list[first] = p;
    q->elements[i] = (int32_t)(kept - first) + 1;
    q->length[i] = (int32_t)(put - first) + 1;
    const int32_t h = (int32_t)(hash%(uint32_t)q->n);
    q->hash[i] = h;
    q->next[i] = q->bucket[h];
    q->bucket[h] = i;
  }
  return together;
}

// 1: i and j have equal lists. The entries of i's lists have mark = stamp.
static int same_lists(const quotient *q, int32_t i, int32_t j) {
  if (q->length[i] != q->length[j] || q->elements[i] != q->elements[j]) return 0;
  for (int64_t l = q->start[j] + 1, end = l + q->length[j] - 1; l < end; l++)
    if (q->mark[q->list[l]] != q->stamp) return 0;
  return 1;
}

// Merges the variables of L_p with equal lists. All lists start with p, which is not compared.
static void merge_equal(quotient *q, int32_t p) {
  for (int32_t k = 0; k < q->length[p]; k++) {
    const int32_t member = q->list[q->start[p] + k];
    if (q->size[member] == 0) continue;
    int32_t i = q->bucket[q->hash[member]];
    q->bucket[q->hash[member]] = NONE;               // later members skip this bucket
    for (; i != NONE && q->next[i] != NONE; i = q->next[i], q->stamp++) {
      for (int64_t l = q->start[i] + 1, end = l + q->length[i] - 1; l < end; l++)
        q->mark[q->list[l]] = q->stamp;
      for (int32_t last = i, j = q->next[i]; j != NONE; j = q->next[j]) {
        if (same_lists(q, i, j)) {
          q->size[i] += q->size[j];
          append(q, i, j);
          q->next[last] = q->next[j];
        } else {
          last = j;
        }
      }
    }
  }
}

// Restarts the stamps before a pass could overflow them.
static void refresh(quotient *q) {
  if (q->stamp < INT32_MAX - 2*q->n - 2 - q->largest) return;
  for (int32_t i = 0; i < q->n; i++)
    if (q->mark[i] != 0) q->mark[i] = 1;
  q->stamp = 2;
}

// Eliminates p; returns the number of variables eliminated.
static int32_t eliminate(quotient *q, int32_t p, int32_t left) {
  unlist(q, p);
  int32_t gone = q->size[p];
  int32_t total = make_element(q, p);
  refresh(q);
  count_outside(q, p);
  const int32_t together = update_degrees(q, p);
  gone += together;
  total -= together;
  if (total > q->largest) q->largest = total;
  q->stamp += q->largest + 1;
  refresh(q);
  merge_equal(q, p);
  left -= gone;
  int64_t put = q->start[p];
  for (int32_t k = 0; k < q->length[p]; k++) {
    const int32_t i = q->list[q->start[p] + k];
    if (q->size[i] == 0) continue;
    const int32_t size = q->size[i] = -q->size[i];
    const int64_t d = (int64_t)q->degree[i] + total - size, most = left - size;
    q->degree[i] = (int32_t)(d < most ? d : most);
    enlist(q, i);
    q->list[put++] = i;
  }
  q->length[p] = (int32_t)(put - q->start[p]);
  q->degree[p] = total;
  q->mark[p] = q->length[p] > 0 ? 1 : 0;
  q->size[p] = 0;
  return gone;
}

static void order_all(quotient *q, int32_t *order) {
  const int32_t n = q->n;
  // A row with more than 10 sqrt(n) entries would slow down every step. It comes last.
  const double full = 10.0*sqrt((double)n) > 16.0 ? 10.0*sqrt((double)n) : 16.0;
  int32_t left = n, at = 0;
  for (int32_t i = 0; i < n; i++) {
    q->head[i] = q->bucket[i] = NONE;
    q->chain[i] = NONE;
    q->tail[i] = i;
    q->mark[i] = 1;
    q->elements[i] = 0;
    q->size[i] = q->length[i] > full ? 0 : 1;
    if (q->size[i] == 0) left--;
  }
  q->stamp = 2;
  q->largest = 0;
  q->least = n;
  const int32_t sparse = left;
  for (int32_t i = 0; i < n; i++) {
    int32_t d = 0;
    for (int32_t k = 0; k < q->length[i]; k++) d += q->size[q->list[q->start[i] + k]];
    if (q->size[i] == 0) {
      q->length[i] = 0;
      continue;
    }
    q->degree[i] = d;
    enlist(q, i);
  }
  while (left > 0) {
    while (q->head[q->least] == NONE) q->least++;
    const int32_t p = q->head[q->least];
    left -= eliminate(q, p, left);
    for (int32_t i = p; i != NONE; i = q->chain[i]) order[at++] = i;
  }
  for (int32_t i = 0; i < n && sparse < n; i++)
    if (q->degree[i] == NONE) order[at++] = i;
}

int order_minimum_degree(const perp_csc *A, const perp_allocator *allocator, int32_t *order) {
  const int32_t n = A->columns;
  if (n == 0) return 0;
  const perp_allocator memory = allocator_of(allocator);
  const int64_t nnz = (int64_t)A->colptr[n] - A->colptr[0];
  quotient q = {.room = 2*nnz + nnz/2 + n + 1};
  arena counting = {0};
  layout(&q, &counting, n);
  const size_t bytes = arena_block_bytes(&counting);
  void *block = bytes < SIZE_MAX ? memory.allocate(memory.context, bytes) : NULL;
  if (block == NULL) return -2;
  arena real = arena_on_block(block, bytes);
  layout(&q, &real, n);
  symmetric_lists(&q, A, q.degree);
  for (int32_t i = 0; i < n; i++) q.degree[i] = NONE;
  order_all(&q, order);
  memory.release(memory.context, block);
  return 0;
}
