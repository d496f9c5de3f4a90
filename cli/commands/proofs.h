// proofs.h: what perp solve can add to an answer: an error bound, a proof, a Farkas vector.
#pragma once

#include "problem_files.h"

typedef struct proofs {
  const arguments *args;
  double *farkas;              // n: for the library to fill, with --certificate
  double *bound;               // n
  perp_bound error_bound;
  perp_proof proof;
  int bounded, tried;          // error_bound, proof have been computed
  int certificate_code, bound_code;   // how writing went
  int certificate_written;
} proofs;

// The rows of solve's option table.
#define OPTION_PROOFS                                                                              \
  {"certificate", 0, "FILE", OPTION_FILE,                                                          \
   "if there is no solution or no small one, write the Farkas vector that proves it"},             \
      {"bound", 0, NULL, OPTION_FLAG, "rigorous bound on the distance from x to the solution"},    \
      {"bound-output", 0, "FILE", OPTION_FILE, "write that bound for every row; implies --bound"}, \
  {"prove", 0, NULL, OPTION_FLAG, "prove that an exact solution lies close to x"}

int proofs_begin(const arguments *args, int32_t n, proofs *out);   // 0 or an exit code
int proofs_compute(proofs *p, const problem_files *files, const perp_result *result);
void proofs_report(const proofs *p, const perp_result *result);
void proofs_json(const proofs *p, const perp_result *result, json_t *object);
void proofs_free(proofs *p);

// perp check --infeasible FILE
int proofs_check(const perp_options *options, const problem_files *files, const char *path);
