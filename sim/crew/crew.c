// crew.c: threads that share numbered tasks. Which thread runs a task must not matter to it.
//
// One 64-bit ticket holds (run, tasks left to claim): a thread claims a task by moving it from
// (r, left) to (r, left - 1), which fails once nothing is left or another run is on. So whoever
// wakes late does no harm, and nobody waits for it: a stage of a small liquid takes less time than
// a thread to wake. Waiting is a short spin, then a condition variable.
// This is not src/base/team.c: a client of the library sees the public headers only. It also needs
// less, no scheduler of others, but tells a task who runs it, as solvers and scratch are a thread's
// own.
// After fork() a child has the crew but not its threads: its tasks run in the calling thread, and
// destroying it only frees memory (team.c says more).
#include "crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { SPINS = 2000 };        // tens of microseconds

typedef void crew_task(void *data, int32_t index, int32_t who);

struct crew {
  perp_allocator allocator;
  int32_t threads;            // without the caller
  int forks;                  // forks_behind when they were started
  pthread_t *thread;          // threads
  _Atomic uint64_t ticket;    // number of the run << 32 | tasks left
  _Atomic(crew_task *) task;  // of that run; late threads may read them while the next ones are
  _Atomic(void *) data;       //   being written, and then claim nothing
  _Atomic int32_t count;
  _Atomic int32_t finished;   // tasks
  _Atomic int32_t sleepers;   // threads on `begin`
  _Atomic int32_t waiting;    // 1: the caller is on `end`
  _Atomic int32_t quit;
  pthread_mutex_t mutex;
  pthread_cond_t begin, end;
  int32_t hired;
};

static inline void pause_spin(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

static atomic_int forks_behind;   // forks between the first process and this one
static pthread_once_t watch_forks_once = PTHREAD_ONCE_INIT;
static void count_fork(void) { atomic_fetch_add(&forks_behind, 1); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

static int is_orphan(const crew *c) { return c->forks != atomic_load(&forks_behind); }

static uint32_t run_of(uint64_t ticket) { return (uint32_t)(ticket >> 32); }

static void work(crew *c, uint32_t run, int32_t who) {
  crew_task *const task = atomic_load_explicit(&c->task, memory_order_relaxed);
  void *const data = atomic_load_explicit(&c->data, memory_order_relaxed);
  const int32_t count = atomic_load_explicit(&c->count, memory_order_relaxed);
  uint64_t ticket = atomic_load(&c->ticket);
  while (run_of(ticket) == run && (uint32_t)ticket > 0) {
    if (!atomic_compare_exchange_weak(&c->ticket, &ticket, ticket - 1)) continue;
    task(data, count - (int32_t)(uint32_t)ticket, who);
    if (atomic_fetch_add(&c->finished, 1) + 1 == count && atomic_load(&c->waiting)) {
      pthread_mutex_lock(&c->mutex);
      pthread_cond_signal(&c->end);
      pthread_mutex_unlock(&c->mutex);
    }
    ticket = atomic_load(&c->ticket);
  }
}

static int is_idle(crew *c, uint32_t seen) {
  return run_of(atomic_load(&c->ticket)) == seen && !atomic_load(&c->quit);
}

static void *hand(void *argument) {
  crew *c = argument;
  pthread_mutex_lock(&c->mutex);
  const int32_t who = ++c->hired;
  pthread_mutex_unlock(&c->mutex);
  uint32_t seen = 0;
  for (;;) {
    for (int spin = 0; spin < SPINS && is_idle(c, seen); spin++) pause_spin();
    if (is_idle(c, seen)) {
      pthread_mutex_lock(&c->mutex);
      atomic_fetch_add(&c->sleepers, 1);   // before the last look, as the caller looks at it last
      while (is_idle(c, seen)) pthread_cond_wait(&c->begin, &c->mutex);
      atomic_fetch_sub(&c->sleepers, 1);
      pthread_mutex_unlock(&c->mutex);
    }
    if (atomic_load(&c->quit)) return NULL;
    seen = run_of(atomic_load(&c->ticket));
    work(c, seen, who);
  }
}

static void wake(crew *c) {
  if (atomic_load(&c->sleepers) == 0) return;
  pthread_mutex_lock(&c->mutex);
  pthread_cond_broadcast(&c->begin);
  pthread_mutex_unlock(&c->mutex);
}

void crew_destroy(crew *c) {
  if (c == NULL) return;
  if (!is_orphan(c)) {
    atomic_store(&c->quit, 1);
    wake(c);
    for (int32_t k = 0; k < c->threads; k++) pthread_join(c->thread[k], NULL);
    pthread_cond_destroy(&c->begin);
    pthread_cond_destroy(&c->end);
    pthread_mutex_destroy(&c->mutex);
  }
  const perp_allocator from = c->allocator;
  from.release(from.context, c);
}

crew *crew_create(int32_t threads, const perp_allocator *allocator) {
  crew *c = allocator->allocate(allocator->context,
                                sizeof *c + (size_t)threads*sizeof *c->thread);
  if (c == NULL) return NULL;
  c->allocator = *allocator;
  c->thread = (pthread_t *)(c + 1);
  c->threads = c->hired = 0;
  pthread_once(&watch_forks_once, watch_forks);
  c->forks = atomic_load(&forks_behind);
  atomic_init(&c->ticket, 0);
  atomic_init(&c->task, NULL);
  atomic_init(&c->data, NULL);
  atomic_init(&c->count, 0);
  atomic_init(&c->finished, 0);
  atomic_init(&c->sleepers, 0);
  atomic_init(&c->waiting, 0);
  atomic_init(&c->quit, 0);
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->begin, NULL);
  pthread_cond_init(&c->end, NULL);
  sigset_t all, before;   // signals are for the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = 0;
  while (c->threads < threads - 1 && !failed) {
    failed = pthread_create(&c->thread[c->threads], NULL, hand, c);
    if (!failed) c->threads++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!failed) return c;
  crew_destroy(c);
  return NULL;
}

void crew_run(crew *c, void (*task)(void *data, int32_t index, int32_t who), void *data,
              int32_t count) {
  if (c == NULL || c->threads == 0 || count < 2 || is_orphan(c)) {
    for (int32_t k = 0; k < count; k++) task(data, k, 0);
    return;
  }
  atomic_store_explicit(&c->task, task, memory_order_relaxed);
  atomic_store_explicit(&c->data, data, memory_order_relaxed);
  atomic_store_explicit(&c->count, count, memory_order_relaxed);
  atomic_store(&c->finished, 0);
  const uint32_t run = run_of(atomic_load(&c->ticket)) + 1;
  atomic_store(&c->ticket, (uint64_t)run << 32 | (uint32_t)count);
  wake(c);
  work(c, run, 0);
  for (int spin = 0; spin < SPINS && atomic_load(&c->finished) != count; spin++) pause_spin();
  if (atomic_load(&c->finished) == count) return;
  pthread_mutex_lock(&c->mutex);
  atomic_store(&c->waiting, 1);
  while (atomic_load(&c->finished) != count) pthread_cond_wait(&c->end, &c->mutex);
  atomic_store(&c->waiting, 0);
  pthread_mutex_unlock(&c->mutex);
}
