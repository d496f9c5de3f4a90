// crew.c: threads that share numbered tasks. Which thread runs a task must not matter to it.
//
// Tasks are claimed from one counter. A run ends when every thread has found the counter used up,
// so nobody is late when the next one begins.
// This is not src/base/team.c: a client of the library sees the public headers only. It also needs
// less, no scheduler of others and no spinning, but tells a task who runs it, as solvers and
// scratch are a thread's own.
#include "crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

struct crew {
  perp_allocator allocator;
  int32_t threads;            // without the caller
  pthread_t *thread;          // threads
  pthread_mutex_t mutex;
  pthread_cond_t begin, end;
  uint64_t run;               // number of the run that is on
  int32_t busy;               // threads that have not ended it
  int32_t quit, hired;
  void (*task)(void *data, int32_t index, int32_t who);
  void *data;
  int32_t count;
  atomic_int next;
};

static void work(crew *c, int32_t who) {
  for (;;) {
    const int32_t index = atomic_fetch_add(&c->next, 1);
    if (index >= c->count) return;
    c->task(c->data, index, who);
  }
}

static void *hand(void *argument) {
  crew *c = argument;
  pthread_mutex_lock(&c->mutex);
  const int32_t who = ++c->hired;
  uint64_t seen = 0;
  for (;;) {
    while (c->run == seen && !c->quit) pthread_cond_wait(&c->begin, &c->mutex);
    if (c->quit) break;
    seen = c->run;
    pthread_mutex_unlock(&c->mutex);
    work(c, who);
    pthread_mutex_lock(&c->mutex);
    if (--c->busy == 0) pthread_cond_signal(&c->end);
  }
  pthread_mutex_unlock(&c->mutex);
  return NULL;
}

void crew_destroy(crew *c) {
  if (c == NULL) return;
  pthread_mutex_lock(&c->mutex);
  c->quit = 1;
  pthread_cond_broadcast(&c->begin);
  pthread_mutex_unlock(&c->mutex);
  for (int32_t k = 0; k < c->threads; k++) pthread_join(c->thread[k], NULL);
  pthread_cond_destroy(&c->begin);
  pthread_cond_destroy(&c->end);
  pthread_mutex_destroy(&c->mutex);
  const perp_allocator from = c->allocator;
  from.release(from.context, c);
}

crew *crew_create(int32_t threads, const perp_allocator *allocator) {
  crew *c = allocator->allocate(allocator->context,
                                sizeof *c + (size_t)threads*sizeof *c->thread);
  if (c == NULL) return NULL;
  *c = (crew){.allocator = *allocator, .thread = (pthread_t *)(c + 1)};
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->begin, NULL);
  pthread_cond_init(&c->end, NULL);
  atomic_init(&c->next, 0);
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
  if (c == NULL || c->threads == 0 || count < 2) {
    for (int32_t k = 0; k < count; k++) task(data, k, 0);
    return;
  }
  pthread_mutex_lock(&c->mutex);
  c->task = task;
  c->data = data;
  c->count = count;
  atomic_store(&c->next, 0);
  c->busy = c->threads;
  c->run++;
  pthread_cond_broadcast(&c->begin);
  pthread_mutex_unlock(&c->mutex);
  work(c, 0);
  pthread_mutex_lock(&c->mutex);
  while (c->busy > 0) pthread_cond_wait(&c->end, &c->mutex);
  pthread_mutex_unlock(&c->mutex);
}
