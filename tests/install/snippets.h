// snippets.h: what the fragments in docs/*.md mention without declaring it.
#include <perp/batch.h>
#include <perp/gallery.h>
#include <perp/method.h>

extern void fatal(const char *text), log_line(const char *text);
extern double my_clock(void *context);
extern int watch(void *context, const perp_statistics *statistics);
extern void *arena_allocate(void *context, size_t bytes);
extern void arena_release(void *context, void *memory);
extern void *job_enqueue(void *context, void (*task)(void *data, int32_t index), void *data,
                         int32_t count);
extern void job_finish(void *context, void *handle);
extern int my_apply(void *context, const double *x, double *y);

extern struct thing { int unused; } frame_timer, level_arena, job_system, my_grid;
extern const perp_method *method;
extern perp_options options;
extern perp_limits limits;
extern perp_problem problem, islands[];
extern perp_solver *solver, *batch;
extern perp_result result, island_results[];
extern perp_brief island_briefs[];
extern int32_t n, m, island_count;
extern uint64_t frame_of_last_change;
extern double lo[], hi[], mu;
extern double *x, *u, *const island_x[], my_diagonal[];
extern int32_t nx, ny, nz;
extern uint8_t *type;
extern double h, *wx, *wy, *wz, *divergence, *pressure;
