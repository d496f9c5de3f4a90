// toolbox.c: generates random matrices like those of the toolbox authors' public generators.
//
// They serve to compare iteration counts with the tables of E13, section 7. rhs = authors: draws
// x >= 0 and sets b = -A x in rows with x > 0, else b = 0; x is not a solution of this problem.
// rhs = built: b = y - A x with y > 0 in rows with x = 0; x is a solution.
#include "family.h"

#include <stdlib.h>

#include "plain.h"

enum { AUTHORS, ADJUSTED };
static const char *const right_side_names[] = {"b as the authors choose it", "built"};

#define RIGHT_SIDE                            \
  FAMILY_CHOICE("rhs", 1, 1, "authors|built", \
                "b = 0 where x = 0 as the authors do (x unknown), or b = y - A x")

static perp_error right_side(perp_sample *s, double choice, uint64_t seed) {
  random_stream answer = family_stream(seed, 1);
  if (choice == ADJUSTED) return answer_build(s, 0.0, &answer);
  double *y = assemble_take(s->n, sizeof *y);
  s->x = assemble_take(s->n, sizeof *s->x);
  perp_error error = y != NULL && s->x != NULL ? PERP_OK : assemble_no_memory(s->n, 0);
  for (int32_t i = 0; error == PERP_OK && i < s->n; i++) {      // a quarter of the x are 0
    const double draw = random_uniform(&answer);
    s->x[i] = draw < 0.25 ? 0.0 : draw;
  }
  if (error == PERP_OK) error = answer_right_side(s, y);        // b = -A x
  for (int32_t i = 0; error == PERP_OK && i < s->n; i++) {
    if (s->x[i] == 0.0) s->b[i] = 0.0;
  }
  free(y);
  free(s->x);
  s->x = NULL;
  s->objective = 0.0;
  s->has_objective = 0;
  return error;
}

// ------------------------------------------------------------------------------------------- fluid

static const perp_gallery_parameter fluid_parameters[] = {
  FAMILY_WHOLE("size", 10, 1, 128, "cells per side: size^3 variables"),
  RIGHT_SIDE,
};

enum shape { BANDS = 3 };   // on each side of the diagonal

// A Toeplitz matrix with 1 on the diagonal and bands -r_1, -r_2, -r_3 in (-1, 0]. Its eigenvalues
// exceed 1 - 2 (r_1 + r_2 + r_3). If this bound is not positive, the diagonal is raised until the
// bound is 1/2.
static perp_error toolbox_fluid(const double *values, uint64_t seed, perp_sample *s) {
  const int32_t size = (int32_t)values[0], n = size*size*size;
  random_stream random = family_stream(seed, 0);
  double band[BANDS + 1], smallest = 1.0;
  for (int32_t d = 1; d <= BANDS; d++) {
    band[d] = -random_uniform(&random);
    smallest += 2.0*band[d];
  }
  band[0] = smallest <= 0.0 ? 1.0 + (0.5 - smallest) : 1.0;
  const perp_error error = assemble_reserve(s, n, (2*BANDS + 1)*(int64_t)n);
  if (error != PERP_OK) return error;
  int32_t k = 0;
  for (int32_t j = 0; j < n; j++) {
    s->colptr[j] = k;
    for (int32_t i = j - BANDS; i <= j + BANDS; i++) {
      if (i < 0 || i >= n) continue;
      s->row[k] = i;
      s->value[k++] = band[i < j ? j - i : i - j];
    }
  }
  s->colptr[n] = k;
  s->problem.A.claims = FAMILY_CLAIM_SPD | PERP_CLAIM_Z | PERP_CLAIM_H;
  plain_print(s->note, sizeof s->note, "Toeplitz, n = %d, diagonal %.6g, bands %.6g %.6g %.6g, %s", n,
              band[0], band[1], band[2], band[3], right_side_names[(int)values[1]]);
  return right_side(s, values[1], seed);
}

#define ANSWER "with rhs = built, by construction"

const perp_family family_toolbox_fluid = {
  "toolbox-fluid", "random three-band Toeplitz matrix, the toolbox's stand-in for a fluid",
  ANSWER "; unique in any case",
  fluid_parameters, FAMILY_COUNT(fluid_parameters), toolbox_fluid};

// ----------------------------------------------------------------------------------------- contact

enum { CONTACTS, FRICTION, FILL, CONTACT_RHS };

static const perp_gallery_parameter contact_parameters[] = {
  FAMILY_WHOLE("contacts", 30, 1, 400, "contacts: six variables each"),
  FAMILY_REAL("mu", 0.5, 0, 10, "coefficient of friction"),
  FAMILY_REAL("fill", 0.5, 0, 1,
              "a block is kept where the random number at its centre is at most this"),
  RIGHT_SIDE,
};

// The rows of a contact.
enum block_row { NORMAL, TANGENT_1, TANGENT_2, TANGENT_3, TANGENT_4, SLACK, BLOCK_ROWS };

// A random symmetric dense matrix of 6 x 6 blocks, some of them empty.
static void fill_blocks(int32_t contacts, double fill, uint64_t seed, double *R) {
  const int32_t n = BLOCK_ROWS*contacts;
  random_stream random = family_stream(seed, 0);
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = 0; i <= j; i++) {
      const double first = random_uniform(&random), second = random_uniform(&random);
      R[i*n + j] = R[j*n + i] = i == j ? first : 0.5*(first + second);
    }
  }
  for (int32_t bi = 0; bi < contacts; bi++) {
    for (int32_t bj = 0; bj < contacts; bj++) {
      double *block = R + (bi*BLOCK_ROWS*n + bj*BLOCK_ROWS);
      if (block[BLOCK_ROWS/2*n + BLOCK_ROWS/2] <= fill) continue;
      for (int32_t k = 0; k < BLOCK_ROWS*BLOCK_ROWS; k++)
        block[k/BLOCK_ROWS*n + k%BLOCK_ROWS] = 0.0;
    }
  }
}

// Imposes the pattern of E13 (27) on each block that is not empty, also off the diagonal, where a
// real contact problem has no mu, -1 and 1.
static void impose_pattern(int32_t contacts, double mu, double *R) {
  const int32_t n = BLOCK_ROWS*contacts, slack = SLACK;
  for (int32_t b = 0; b < contacts*contacts; b++) {
    double *block = R + ((b/contacts)*BLOCK_ROWS*n + (b%contacts)*BLOCK_ROWS);   // row-major
    if (block[0] == 0.0) continue;
    block[slack*n] = mu;
    block[slack*n + slack] = 0.0;
    block[slack] = 0.0;
    for (int32_t k = 1; k < slack; k++) {
      block[slack*n + k] = -1.0;
      block[k*n + slack] = 1.0;
    }
  }
}

// Stores the nonzeros column by column.
static perp_error set_from_dense(const double *R, int32_t n, perp_sample *s) {
  int64_t nnz = 0;
  for (int32_t k = 0; k < n*n; k++) nnz += R[k] != 0.0;
  const perp_error error = assemble_reserve(s, n, nnz);
  if (error != PERP_OK) return error;
  int32_t k = 0;
  for (int32_t j = 0; j < n; j++) {
    s->colptr[j] = k;
    for (int32_t i = 0; i < n; i++) {
      if (R[i*n + j] == 0.0) continue;
      s->row[k] = i;
      s->value[k++] = R[i*n + j];
    }
  }
  s->colptr[n] = k;
  return PERP_OK;
}

static perp_error toolbox_contact(const double *values, uint64_t seed, perp_sample *s) {
  const int32_t contacts = (int32_t)values[CONTACTS], n = BLOCK_ROWS*contacts;
  double *R = assemble_take((int64_t)n*n, sizeof *R);      // n x n, row-major
  if (R == NULL) return assemble_no_memory(n, (int64_t)n*n);
  fill_blocks(contacts, values[FILL], seed, R);

  perp_sample random_part = {0};   // R is shifted by its smallest eigenvalue to be definite
  double smallest = 0.0, largest = 0.0;
  perp_error error = set_from_dense(R, n, &random_part);
  if (error == PERP_OK) error = spectrum_extremes(&random_part, 120, &smallest, &largest);
  perp_sample_free(&random_part);
  for (int32_t i = 0; smallest <= 0.0 && i < n; i++) R[i*n + i] += 0.5 - smallest;

  impose_pattern(contacts, values[FRICTION], R);
  if (error == PERP_OK) error = set_from_dense(R, n, s);
  free(R);
  if (error != PERP_OK) return error;
  plain_print(s->note, sizeof s->note, "%d contacts, n = %d, mu = %.6g in every block, %s", contacts,
              n, values[FRICTION], right_side_names[(int)values[CONTACT_RHS]]);
  return right_side(s, values[CONTACT_RHS], seed);
}

const perp_family family_toolbox_contact = {
  "toolbox-contact", "random blocks in the pattern of the contact LCP, the toolbox's stand-in",
  ANSWER ", one of possibly many",
  contact_parameters, FAMILY_COUNT(contact_parameters), toolbox_contact};
