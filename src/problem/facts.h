// facts.h: what the entries of A say about A, learned once for each A and asked by everybody.
//
// The certifier owns the facts of the caller's A, and the solver forgets them when the stamps of the
// problem change. A run on a part of A owns the facts of that part. A group of facts is learned when
// somebody first asks for it. Facts come from the numbers in A, not from claims; a claim counts only
// where an operator shows neither entries nor a transposed product.
#ifndef PERP_FACTS_H
#define PERP_FACTS_H

#include <perp/method.h>

#include "symmetry.h"

// A matrix or factor counts as sparse, and its zeros are left out, if n^2 is at least this many
// times its entries. If none counts as sparse, problems take up to 2.8 times the work.
enum { FACTS_SPARSE_RATIO = 5 };

enum facts_group {
  FACTS_MIRRORED = 1,
  FACTS_ASYMMETRY = 2,
  FACTS_ENTRIES = 4,          // and FACTS_ASYMMETRY, FACTS_SIGNS
  FACTS_CONTACTS = 8,
  FACTS_FACTOR = 16,
  FACTS_SIGNS = 32,           // learned with FACTS_ENTRIES; powers of 2 do not change them
};

typedef struct facts {
  uint32_t known;             // groups; 0: nothing is known yet
  // FACTS_MIRRORED
  int mirrored;               // 1: CSC without wrappers, and A = A' in every bit: columns are rows
  // FACTS_ASYMMETRY
  asymmetry asymmetry;        // of A, or of the first pair that exceeds SYMMETRY_REFINED
  // FACTS_SIGNS. They and FACTS_ENTRIES are known of dense and sparse matrices, also under wrappers.
  int64_t nnz;                // entries
  int positive;               // 1: no A_ii is negative
  int hollow;                 // 1: some A_ii is 0
  int z;                      // 1: no entry off the diagonal is positive
  int tridiagonal;            // 1: no entry with |i - j| > 1
  // FACTS_ENTRIES
  int dominant;               // 1: A_ii >= sum of the other |A_ij| in all rows, or in all columns
  int nearly_dominant;        // 1: the same in all columns, up to rounding
  int monotone;               // 0: certainly not, because A_ii = 0 and some A_ij + A_ji is not 0
  // FACTS_CONTACTS
  int32_t contacts;           // contacts of the contact LCP E13 (27); 0: A is no contact LCP
  // FACTS_FACTOR
  double factor;              // operations of a sparse LDL', at least; 0: unknown
} facts;

// What rows and columns of a part of A inherit.
facts facts_of_part(const facts *whole);
// What A inherits after its rows and columns were scaled alike, by powers of 2.
facts facts_of_scaled(const facts *before);
// FACTS_MIRRORED, without memory of its own. next (n) is work.
void facts_mirror(facts *f, const perp_operator *A, int32_t *next);
// Learns the groups `wanted` that are not known. 0: they are; 1: A does not show its entries;
// -1: the deadline (NULL: none) has passed; -2: no memory. FACTS_FACTOR takes symmetric matrices.
int facts_learn(facts *f, const perp_operator *A, uint32_t wanted, const perp_allocator *allocator,
                const perp_deadline *deadline);

#endif
