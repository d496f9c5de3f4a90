// peer_petsc.c: a program that solves a problem from a file by PETSc: peer_petsc FILE NAME TOL
//
// FILE as outside.c writes it; NAME is a row of the table below. Standard output: a line "seconds
// claims" and x as n raw doubles. The time is that of the solve from x = mid(lo, 0, hi), with all
// that PETSc sets up for it; reading, the parallel matrix and the start of MPI are left out.
//
// TAO minimises x'Ax/2 + b'x between bounds and stops at |projected gradient|_2 <= TOL |b|_2;
// SNESVI solves the same conditions as equations. Under mpirun the rows are dealt out in blocks,
// one to a process; solvers with a sparse factor or icc take one process only.
#include <petscsnes.h>
#include <petsctao.h>

#include <stdio.h>
#include <string.h>

typedef struct problem {
  PetscInt n;
  int *colptr, *row;                 // A = A': columns are rows
  double *value, *b, *lo, *hi;
  Mat A;
  Vec B;
} problem;

typedef struct solver {
  const char *name, *kind;           // kind: a type of TAO, or "snes"
  const char *options;
} solver;

// Preconditioners: what is best for each on walls or grids, of those that survive (GAMG does not
// survive a changing face).
static const solver table[] = {
  {"gpcg", TAOGPCG, "-pc_type icc -tao_gpcg_maxpgits 20"},
  {"gpcg-jacobi", TAOGPCG, "-pc_type jacobi"},
  {"tron", TAOTRON, "-pc_type icc"},
  {"tron-direct", TAOTRON, "-pc_type cholesky -pc_factor_mat_solver_type cholmod"},
  {"bqpip", TAOBQPIP, ""},
  {"ssils", TAOSSILS, "-pc_type lu -ksp_type preonly"},
  {"snesvi-lu", "snes", "-ksp_type preonly -pc_type lu"},
  {"snesvi-cholmod", "snes",
   "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod"},
  {"snesvi-hypre", "snes", "-ksp_type cg -ksp_rtol 1e-5 -pc_type hypre"},
  {"tron-hypre", TAOTRON, "-ksp_type cg -ksp_rtol 1e-3 -pc_type hypre"},
};

static int take(FILE *file, void *to, size_t size, size_t count) {
  return fread(to, size, count, file) == count ? 0 : 1;
}

static int read_problem(const char *path, problem *p) {
  int n = 0, bad;
  FILE *file = fopen(path, "rb");
  if (file == NULL || take(file, &n, sizeof n, 1)) return 1;
  p->n = n;
  p->colptr = malloc(((size_t)n + 1)*sizeof *p->colptr);
  bad = p->colptr == NULL || take(file, p->colptr, sizeof *p->colptr, (size_t)n + 1);
  if (bad) return 1;
  const size_t nnz = (size_t)p->colptr[n];
  p->row = malloc(nnz*sizeof *p->row);
  p->value = malloc(nnz*sizeof *p->value);
  double **const vectors[] = {&p->b, &p->lo, &p->hi};
  bad = p->row == NULL || p->value == NULL || take(file, p->row, sizeof *p->row, nnz) ||
        take(file, p->value, sizeof *p->value, nnz);
  for (int k = 0; k < 3 && !bad; k++) {
    *vectors[k] = malloc(((size_t)n + 1)*sizeof(double));
    bad = *vectors[k] == NULL || take(file, *vectors[k], sizeof(double), (size_t)n);
  }
  fclose(file);
  return bad;
}

static PetscErrorCode equations(SNES snes, Vec x, Vec f, void *context) {
  const problem *p = context;
  (void)snes;
  PetscFunctionBeginUser;
  PetscCall(MatMultAdd(p->A, x, p->B, f));
  PetscFunctionReturn(0);
}

static PetscErrorCode matrix_stays(SNES snes, Vec x, Mat A, Mat P, void *context) {
  (void)snes, (void)x, (void)A, (void)P, (void)context;
  return 0;
}

static PetscErrorCode objective(Tao tao, Vec x, PetscReal *f, Vec g, void *context) {
  const problem *p = context;
  PetscReal along, linear;
  (void)tao;
  PetscFunctionBeginUser;
  PetscCall(MatMult(p->A, x, g));
  PetscCall(VecDot(x, g, &along));
  PetscCall(VecDot(x, p->B, &linear));
  PetscCall(VecAXPY(g, 1.0, p->B));
  *f = 0.5*along + linear;
  PetscFunctionReturn(0);
}

static PetscErrorCode constraints(Tao tao, Vec x, Vec f, void *context) {
  const problem *p = context;
  (void)tao;
  PetscFunctionBeginUser;
  PetscCall(MatMultAdd(p->A, x, p->B, f));
  PetscFunctionReturn(0);
}

static PetscErrorCode hessian_stays(Tao tao, Vec x, Mat A, Mat P, void *context) {
  (void)tao, (void)x, (void)A, (void)P, (void)context;
  return 0;
}

// ssils scales the matrix it is given in place
static PetscErrorCode jacobian_again(Tao tao, Vec x, Mat J, Mat P, void *context) {
  const problem *p = context;
  (void)tao, (void)x, (void)P;
  PetscFunctionBeginUser;
  PetscCall(MatCopy(p->A, J, SAME_NONZERO_PATTERN));
  PetscFunctionReturn(0);
}

static PetscErrorCode by_snes(problem *p, Vec lo, Vec hi, Vec x, double tol, int *claims) {
  SNES snes;
  SNESConvergedReason reason;
  Vec f;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &f));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetType(snes, SNESVINEWTONRSLS));
  PetscCall(SNESSetFunction(snes, f, equations, p));
  PetscCall(SNESSetJacobian(snes, p->A, p->A, matrix_stays, p));
  PetscCall(SNESVISetVariableBounds(snes, lo, hi));
  PetscCall(SNESSetTolerances(snes, tol, 0.0, 0.0, 1000, 100000));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESSolve(snes, NULL, x));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCall(SNESDestroy(&snes));
  PetscCall(VecDestroy(&f));
  *claims = reason > 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode by_tao(problem *p, const char *kind, Vec lo, Vec hi, Vec x, double tol,
                             int *claims) {
  Tao tao;
  TaoConvergedReason reason;
  Vec f;
  Mat J = NULL;
  const int equations_too = strcmp(kind, TAOSSILS) == 0;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &f));
  PetscCall(TaoCreate(PETSC_COMM_WORLD, &tao));
  PetscCall(TaoSetType(tao, kind));
  PetscCall(TaoSetSolution(tao, x));
  PetscCall(TaoSetVariableBounds(tao, lo, hi));
  if (equations_too) {
    PetscCall(TaoSetConstraintsRoutine(tao, f, constraints, p));
    PetscCall(MatDuplicate(p->A, MAT_COPY_VALUES, &J));
    PetscCall(MatSetOption(J, MAT_SYMMETRIC, PETSC_FALSE));
    PetscCall(MatSetOption(J, MAT_SPD, PETSC_FALSE));
    PetscCall(TaoSetJacobianRoutine(tao, J, J, jacobian_again, p));
    PetscCall(TaoSetConstraintTolerances(tao, tol, 0.0));
  } else {
    PetscCall(TaoSetObjectiveAndGradient(tao, f, objective, p));
    PetscCall(TaoSetHessian(tao, p->A, p->A, hessian_stays, p));
  }
  PetscCall(TaoSetTolerances(tao, tol, 0.0, 0.0));
  PetscCall(TaoSetMaximumIterations(tao, 100000));
  PetscCall(TaoSetMaximumFunctionEvaluations(tao, 10000000));
  PetscCall(TaoSetFromOptions(tao));
  PetscCall(TaoSolve(tao));
  PetscCall(TaoGetConvergedReason(tao, &reason));
  PetscCall(TaoDestroy(&tao));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&f));
  *claims = reason > 0;
  PetscFunctionReturn(0);
}

// The rows first .. first + count - 1 of this process as a block of the matrix of all of them.
static PetscErrorCode deal_rows(problem *p, PetscInt first, PetscInt count) {
  PetscFunctionBeginUser;
  const int begin = p->colptr[first];
  int *start = malloc(((size_t)count + 1)*sizeof *start);
  if (start == NULL) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the rows");
  for (PetscInt i = 0; i <= count; i++) start[i] = p->colptr[first + i] - begin;
  PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, count, count, p->n, p->n, start,
                                      p->row + begin, p->value + begin, &p->A));
  free(start);
  PetscFunctionReturn(0);
}

static PetscErrorCode run(problem *p, const solver *s, double tol) {
  Vec x, lo, hi, all;
  VecScatter gather;
  PetscReal size;
  PetscLogDouble begun, start, stop, best = 1e300;
  PetscMPIInt processes, me;
  PetscInt count = PETSC_DECIDE, end;
  int claims = 0, again;
  const PetscScalar *answer;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, s->options));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &me));
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &count, &p->n));
  PetscCallMPI(MPI_Scan(&count, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  const PetscInt first = end - count;
  if (processes > 1) PetscCall(deal_rows(p, first, count));
  else PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, p->n, p->n, p->colptr, p->row, p->value,
                                           &p->A));
  PetscCall(MatSetOption(p->A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(p->A, MAT_SPD, PETSC_TRUE));
  for (PetscInt i = 0; i < p->n; i++) {
    if (p->lo[i] < PETSC_NINFINITY) p->lo[i] = PETSC_NINFINITY;
    if (p->hi[i] > PETSC_INFINITY) p->hi[i] = PETSC_INFINITY;
  }
  double *const local[] = {p->b + first, p->lo + first, p->hi + first};
  Vec *const vectors[] = {&p->B, &lo, &hi};
  for (int k = 0; k < 3; k++)
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, count, p->n, local[k], vectors[k]));
  PetscCall(VecDuplicate(p->B, &x));
  PetscCall(VecNorm(p->B, NORM_2, &size));
  PetscCall(PetscTime(&begun));
  do {                                         // the best of what fits into 0.3 s
    PetscCall(VecSet(x, 0.0));
    PetscCall(VecMedian(lo, x, hi, x));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&start));
    if (strcmp(s->kind, "snes") == 0) PetscCall(by_snes(p, lo, hi, x, tol*size, &claims));
    else PetscCall(by_tao(p, s->kind, lo, hi, x, tol*size, &claims));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&stop));
    if (stop - start < best) best = stop - start;
    again = stop - begun < 0.3;
    PetscCallMPI(MPI_Bcast(&again, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  } while (again);
  PetscCall(VecScatterCreateToZero(x, &gather, &all));
  PetscCall(VecScatterBegin(gather, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(gather, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(all, &answer));
  if (me == 0) {
    printf("%.9f %d\n", best, claims);
    fwrite(answer, sizeof *answer, (size_t)p->n, stdout);
    fflush(stdout);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

int main(int count, char **words) {
  problem p = {0};
  const solver *s = NULL;
  for (size_t k = 0; count == 4 && k < sizeof table/sizeof *table; k++)
    if (strcmp(table[k].name, words[2]) == 0) s = &table[k];
  if (s == NULL || read_problem(words[1], &p) != 0) {
    fprintf(stderr, "usage: peer_petsc FILE NAME TOL\n");
    return 2;
  }
  int no_words = 1;
  PetscCall(PetscInitialize(&no_words, &words, NULL, NULL));
  PetscMPIInt processes = 1;
  PetscInt unused = 0;
  const int failed = run(&p, s, atof(words[3])) != 0;
  PetscOptionsAllUsed(NULL, &unused);
  if (unused > 0) fprintf(stderr, "peer_petsc: %d options have no effect\n", (int)unused);
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  if (processes > 1) MPI_Finalize();           // mpirun asks for it; alone, the process just ends
  return failed || unused > 0;
}
