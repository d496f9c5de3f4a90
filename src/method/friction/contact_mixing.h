// contact_mixing.h: Anderson's mixing of sweeps over contacts.
#ifndef PERP_CONTACT_MIXING_H
#define PERP_CONTACT_MIXING_H

#include "contact_bodies.h"

enum { MIXED_SWEEPS = 5 };   // last sweeps that are mixed; 1: heavy boxes take 1.06 times the work

typedef struct contact_mixing {
  int32_t n;                   // numbers in l
  int32_t have, slot;          // differences stored, and where the next one goes
  int known;                   // f and z are those of the last sweep
  double *F, *Z;               // MIXED_SWEEPS x n: differences of f and z
  double *f, *z;               // n: the change in the last sweep, in the energy norm; l after it
  double A[MIXED_SWEEPS][MIXED_SWEEPS];   // F'F
  double b[MIXED_SWEEPS];                 // F'f
} contact_mixing;

size_t contact_mixing_numbers(const contact_bodies *s);   // doubles that it needs
void contact_mixing_begin(contact_mixing *m, const contact_bodies *s, double *memory);
void contact_mixing_restart(contact_mixing *m);
// Call it after each sweep. from: l before the sweep. Returns the size of the change.
double contact_mixing_record(contact_mixing *m, const contact_bodies *s, const double *from);
// l <- that of the last sweep, minus the combination of differences that makes the change of
// the next sweep smallest. l may leave the cones: end with a plain sweep.
void contact_mixing_apply(contact_mixing *m, contact_bodies *s);

#endif
