// team.c: a pool of threads that claim numbered tasks, the caller's scheduler, or neither.
//
// Each team_run is a generation. A 64-bit ticket holds (generation, tasks left to claim). A thread
// claims a task of generation g by changing the ticket from (g, left) to (g, left - 1). The claim
// fails once no task is left or a newer generation has begun. So a thread that wakes late does no
// harm, and the caller does not wait for it. team_run returns when `finished` reaches the number of
// tasks. A waiting thread spins for a short time, then sleeps on a condition variable.
//
// fork() copies the memory of a pool but not its threads. A pool stores platform_forks() when made;
// in a child process the number differs. Then tasks run in the calling thread, and destroying the
// pool only frees its memory: no thread can be joined, and the mutex may be locked for good.
#include "team.h"

#include <string.h>

#include "allocator.h"
#include "platform.h"

#if defined(PLATFORM_THREADS)
#include <stdatomic.h>
#endif

typedef void team_task(void *data, int32_t index);

#if defined(PLATFORM_THREADS)

// Polls of a waiting thread before it sleeps: tens of microseconds, longer than the pause between
// two colours of a sweep.
enum { SPINS_MAX = 2000 };

typedef struct pool {
  _Atomic uint64_t ticket;             // generation << 32 | tasks left
  _Atomic(team_task *) task;           // of the current generation. Atomic, because a late thread
  _Atomic(void *) data;                //   may read them while the caller writes the next ones
  _Atomic int32_t count;
  char apart[64];                      // puts `finished` on another cache line
  _Atomic int32_t finished;
  _Atomic int32_t sleepers;            // workers that sleep on `work`
  _Atomic int32_t waiting;             // 1: the caller sleeps on `done`
  _Atomic int32_t quit;
  platform_mutex mutex;
  platform_condition work, done;
  int forks;                           // platform_forks() when the threads were started
  int32_t threads;                     // workers, without the caller
  platform_thread *thread;             // threads
} pool;

#endif

struct team {
  perp_allocator allocator;
  perp_scheduler scheduler;   // enqueue != NULL: in use
  int32_t size;
#if defined(PLATFORM_THREADS)
  pool *pool;                 // NULL: none
#endif
};

static void *allocate(const perp_allocator *a, size_t bytes) {
  return a->allocate(a->context, bytes);
}
static void release(const perp_allocator *a, void *memory) {
  if (memory != NULL) a->release(a->context, memory);
}

#if defined(PLATFORM_THREADS)

// 1: the pool's threads belong to a parent process.
static int is_orphan(const pool *p) { return p->forks != platform_forks(); }

static uint32_t generation_of(uint64_t ticket) { return (uint32_t)(ticket >> 32); }

// Claims and runs tasks of this generation until none is left. A later generation may already have
// overwritten task, data and count. Then this generation has no tasks left, and no claim succeeds.
// Only the ticket says whether tasks are left; `count` may be that of the later generation.
static void work_on(pool *p, uint32_t generation) {
  team_task *const task = atomic_load_explicit(&p->task, memory_order_relaxed);
  void *const data = atomic_load_explicit(&p->data, memory_order_relaxed);
  const int32_t count = atomic_load_explicit(&p->count, memory_order_relaxed);
  uint64_t ticket = atomic_load(&p->ticket);
  while (generation_of(ticket) == generation && (uint32_t)ticket > 0) {
    if (!atomic_compare_exchange_weak(&p->ticket, &ticket, ticket - 1)) continue;
    task(data, count - (int32_t)(uint32_t)ticket);
    if (atomic_fetch_add(&p->finished, 1) + 1 == count && atomic_load(&p->waiting)) {
      platform_lock(&p->mutex);
      platform_wake_one(&p->done);
      platform_unlock(&p->mutex);
    }
    ticket = atomic_load(&p->ticket);
  }
}

static int idle(pool *p, uint32_t seen) {
  return generation_of(atomic_load(&p->ticket)) == seen && !atomic_load(&p->quit);
}

static platform_result PLATFORM_CALL worker(void *argument) {
  pool *const p = argument;
  uint32_t seen = 0;
  for (;;) {
    for (int spin = 0; spin < SPINS_MAX && idle(p, seen); spin++) platform_pause();
    if (idle(p, seen)) {
      platform_lock(&p->mutex);
      // Count this thread before the last check: the caller sets the ticket, then reads `sleepers`.
      atomic_fetch_add(&p->sleepers, 1);
      while (idle(p, seen)) platform_wait(&p->work, &p->mutex);
      atomic_fetch_sub(&p->sleepers, 1);
      platform_unlock(&p->mutex);
    }
    if (atomic_load(&p->quit)) return 0;
    seen = generation_of(atomic_load(&p->ticket));
    work_on(p, seen);
  }
}

static void wake(pool *p) {
  if (atomic_load(&p->sleepers) == 0) return;
  platform_lock(&p->mutex);
  platform_wake_all(&p->work);
  platform_unlock(&p->mutex);
}

static void pool_run(pool *p, team_task *task, void *data, int32_t count) {
  atomic_store_explicit(&p->task, task, memory_order_relaxed);
  atomic_store_explicit(&p->data, data, memory_order_relaxed);
  atomic_store_explicit(&p->count, count, memory_order_relaxed);
  atomic_store(&p->finished, 0);
  const uint32_t generation = generation_of(atomic_load(&p->ticket)) + 1;
  atomic_store(&p->ticket, (uint64_t)generation << 32 | (uint32_t)count);
  wake(p);
  work_on(p, generation);

  for (int spin = 0; spin < SPINS_MAX && atomic_load(&p->finished) != count; spin++)
    platform_pause();
  if (atomic_load(&p->finished) == count) return;
  platform_lock(&p->mutex);
  atomic_store(&p->waiting, 1);
  while (atomic_load(&p->finished) != count) platform_wait(&p->done, &p->mutex);
  atomic_store(&p->waiting, 0);
  platform_unlock(&p->mutex);
}

static void pool_destroy(pool *p, const perp_allocator *allocator) {
  if (p == NULL) return;
  if (!is_orphan(p)) {
    atomic_store(&p->quit, 1);
    wake(p);
    for (int32_t k = 0; k < p->threads; k++) platform_join(p->thread[k]);
    platform_condition_destroy(&p->done);
    platform_condition_destroy(&p->work);
    platform_mutex_destroy(&p->mutex);
  }
  release(allocator, p->thread);
  release(allocator, p);
}

static pool *pool_create(int32_t threads, const perp_allocator *allocator) {
  pool *p = allocate(allocator, sizeof *p);
  platform_thread *thread = allocate(allocator, (size_t)threads*sizeof *thread);
  if (p == NULL || thread == NULL) {
    release(allocator, thread);
    release(allocator, p);
    return NULL;
  }
  p->forks = platform_forks();
  atomic_init(&p->ticket, 0);
  atomic_init(&p->task, NULL);
  atomic_init(&p->data, NULL);
  atomic_init(&p->count, 0);
  atomic_init(&p->finished, 0);
  atomic_init(&p->sleepers, 0);
  atomic_init(&p->waiting, 0);
  atomic_init(&p->quit, 0);
  platform_mutex_init(&p->mutex);
  platform_condition_init(&p->work);
  platform_condition_init(&p->done);
  p->thread = thread;
  p->threads = 0;
  while (p->threads < threads && platform_start(&thread[p->threads], worker, p)) p->threads++;
  if (p->threads == threads) return p;
  pool_destroy(p, allocator);
  return NULL;
}

#endif

team *team_create(int32_t threads, const perp_scheduler *scheduler,
                  const perp_allocator *allocator) {
  const perp_allocator from = allocator_of(allocator);
  allocator = &from;
  team *t = allocate(allocator, sizeof *t);
  if (t == NULL) return NULL;
  *t = (team){.allocator = *allocator, .size = 1};
  if (scheduler != NULL) {
    t->scheduler = *scheduler;
    t->size = scheduler->workers > 1 ? scheduler->workers : 1;
    return t;
  }
#if defined(PLATFORM_THREADS)
  if (threads > 1) {
    t->size = threads;
    t->pool = pool_create(threads - 1, allocator);
    if (t->pool == NULL) {
      release(allocator, t);
      return NULL;
    }
  }
#else
  (void)threads;
#endif
  return t;
}

void team_destroy(team *t) {
  if (t == NULL) return;
#if defined(PLATFORM_THREADS)
  pool_destroy(t->pool, &t->allocator);
#endif
  const perp_allocator allocator = t->allocator;
  release(&allocator, t);
}

int32_t team_size(const team *t) { return t != NULL ? t->size : 1; }

void team_run(team *t, void (*task)(void *data, int32_t index), void *data, int32_t count) {
  if (t != NULL && t->scheduler.enqueue != NULL && count > 1) {
    void *handle = t->scheduler.enqueue(t->scheduler.context, task, data, count);
    t->scheduler.finish(t->scheduler.context, handle);
    return;
  }
#if defined(PLATFORM_THREADS)
  if (t != NULL && t->pool != NULL && !is_orphan(t->pool) && count > 1) {
    pool_run(t->pool, task, data, count);
    return;
  }
#endif
  for (int32_t i = 0; i < count; i++) task(data, i);
}

typedef struct sharing {
  team_shared task;
  void *data;
  int32_t n, shares;
} sharing;

static void run_share(void *data, int32_t index) {
  const sharing *s = data;
  s->task(s->data, (int32_t)((int64_t)s->n*index/s->shares),
          (int32_t)((int64_t)s->n*(index + 1)/s->shares), index);
}

int32_t team_share(team *t, int32_t n, team_shared task, void *data) {
  const int32_t most = n/TEAM_NUMBERS_MIN;
  sharing s = {task, data, n, most < 1 ? 1 : most < TEAM_SHARES ? most : TEAM_SHARES};
  team_run(t, run_share, &s, s.shares);
  return s.shares;
}

typedef struct ranging {
  team_ranged task;
  void *data;
  int32_t lines, tasks;
} ranging;

static void run_lines(void *data, int32_t index) {
  const ranging *r = data;
  r->task(r->data, (int32_t)((int64_t)r->lines*index/r->tasks),
          (int32_t)((int64_t)r->lines*(index + 1)/r->tasks));
}

void team_lines(team *t, int32_t lines, int32_t cells, team_ranged task, void *data) {
  ranging r = {task, data, lines, cells < TEAM_CELLS_MIN ? 1
                                  : lines < TEAM_SHARES ? lines : TEAM_SHARES};
  team_run(t, run_lines, &r, r.tasks);
}

typedef struct copying {
  double *to;
  const double *from;
} copying;

static void copy_some(void *data, int32_t from, int32_t to, int32_t share) {
  const copying *c = data;
  (void)share;
  memcpy(c->to + from, c->from + from, (size_t)(to - from)*sizeof *c->to);
}

void team_copy(team *t, double *to, const double *from, int32_t n) {
  if (n > 0) team_share(t, n, copy_some, &(copying){to, from});
}
