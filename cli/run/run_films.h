// run_films.h: frames of bodies, and frames of a liquid.
#pragma once

#include <scene.h>

#include "run_record.h"

typedef enum film_contacts { CONTACTS_AUTO, CONTACTS_ALL, CONTACTS_NONE } film_contacts;
typedef enum film_keep { KEEP_AUTO, KEEP_ALL, KEEP_SURFACE } film_keep;

// Both say what is wrong. The world and the fluid must stay. span: frames that they have room for.
// quantum: positions are rounded to multiples of it; 0: not at all.
int film_of_bodies(const perp_world *world, const recording_head *about, double quantum, int exact,
                   film_contacts contacts, film *out);
int film_of_liquid(const perp_fluid *fluid, const recording_head *about, film *out);

double film_bytes_of_bodies(int32_t moving);   // of a frame, unpacked
double film_bytes_of_liquid(const recording_head *about, int64_t particles);
