// ablation_item.h: an item of the ablation is something to solve: a name, its work, a hash of x.
#ifndef PERP_BENCH_ABLATION_ITEM_H
#define PERP_BENCH_ABLATION_ITEM_H

#include <stdint.h>

#include <perp/method.h>

#define ITEM_SECONDS_MAX 0.1   // of one solve, by work_seconds(); a longer one counts as unsolved

extern int item_repeats;       // (1) of a solve, if it is short

void item_read_wanted(const char *path);   // the file of --only
void item_limit(uint64_t work);            // --limit, for the items: making problems is free
int item_is_wanted(const char *what, const char *how);
int items_wanted_of(const char *what);     // 0: no item of this problem is wanted

uint64_t item_begin(void);
uint64_t item_end(uint64_t start);         // the work since item_begin()
void item_report(const char *what, const char *how, int solved, uint64_t work, uint64_t hash);
uint64_t item_hash(uint64_t hash, const void *data, size_t bytes);   // hash: of what came before; 0

// how: the method's name, and the option that differs from its defaults, if any
void item_solve_with(const char *what, const char *how, const perp_problem *p, perp_options o);
void item_solve(const char *what, const perp_problem *p, const perp_method *m);
void item_solve_by_all(const char *what, const perp_problem *p);

void ablation_scenes(void);                // ablation_scenes.c

#endif
