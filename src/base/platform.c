// platform.c: threads, the clock, large pages and processor features, for each system.
#if defined(__linux__)
#define _DEFAULT_SOURCE   // madvise
#endif
#include "platform.h"

#include <stdlib.h>
#include <time.h>

#include "clock.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

double clock_now(void *unused) {
  (void)unused;
  LARGE_INTEGER ticks, ticks_a_second;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&ticks_a_second);
  return (double)ticks.QuadPart/(double)ticks_a_second.QuadPart;
}
#else
double clock_now(void *unused) {
  (void)unused;
  struct timespec t;
#ifdef CLOCK_MONOTONIC
  clock_gettime(CLOCK_MONOTONIC, &t);
#else
  timespec_get(&t, TIME_UTC);
#endif
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}
#endif

#if defined(PLATFORM_THREADS) && defined(_WIN32)
_Static_assert(sizeof(platform_mutex) == sizeof(SRWLOCK), "platform_mutex is an SRWLOCK");
_Static_assert(sizeof(platform_condition) == sizeof(CONDITION_VARIABLE), "the same size");

int platform_start(platform_thread *thread, platform_result(PLATFORM_CALL *run)(void *),
                   void *data) {
  *thread = CreateThread(NULL, 0, run, data, 0, NULL);
  return *thread != NULL;
}
void platform_join(platform_thread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}
void platform_mutex_init(platform_mutex *m) { InitializeSRWLock((SRWLOCK *)m); }
void platform_mutex_destroy(platform_mutex *m) { (void)m; }
void platform_lock(platform_mutex *m) { AcquireSRWLockExclusive((SRWLOCK *)m); }
void platform_unlock(platform_mutex *m) { ReleaseSRWLockExclusive((SRWLOCK *)m); }
void platform_condition_init(platform_condition *c) {
  InitializeConditionVariable((CONDITION_VARIABLE *)c);
}
void platform_condition_destroy(platform_condition *c) { (void)c; }
void platform_wait(platform_condition *c, platform_mutex *m) {
  SleepConditionVariableSRW((CONDITION_VARIABLE *)c, (SRWLOCK *)m, INFINITE, 0);
}
void platform_wake_one(platform_condition *c) { WakeConditionVariable((CONDITION_VARIABLE *)c); }
void platform_wake_all(platform_condition *c) { WakeAllConditionVariable((CONDITION_VARIABLE *)c); }
int platform_forks(void) { return 0; }

#elif defined(PLATFORM_THREADS)
#include <signal.h>
#include <stdatomic.h>

int platform_start(platform_thread *thread, platform_result (*run)(void *), void *data) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(thread, NULL, run, data);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !failed;
}
void platform_join(platform_thread thread) { pthread_join(thread, NULL); }
void platform_mutex_init(platform_mutex *m) { pthread_mutex_init(m, NULL); }
void platform_mutex_destroy(platform_mutex *m) { pthread_mutex_destroy(m); }
void platform_lock(platform_mutex *m) { pthread_mutex_lock(m); }
void platform_unlock(platform_mutex *m) { pthread_mutex_unlock(m); }
void platform_condition_init(platform_condition *c) { pthread_cond_init(c, NULL); }
void platform_condition_destroy(platform_condition *c) { pthread_cond_destroy(c); }
void platform_wait(platform_condition *c, platform_mutex *m) { pthread_cond_wait(c, m); }
void platform_wake_one(platform_condition *c) { pthread_cond_signal(c); }
void platform_wake_all(platform_condition *c) { pthread_cond_broadcast(c); }

static atomic_int forks_behind;
static pthread_once_t watch_forks_once = PTHREAD_ONCE_INIT;
static void count_fork(void) { atomic_fetch_add(&forks_behind, 1); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }
int platform_forks(void) {
  pthread_once(&watch_forks_once, watch_forks);
  return atomic_load(&forks_behind);
}
#endif

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__linux__) && defined(MADV_HUGEPAGE)
enum {
  PAGE_BYTES = 1 << 21,                // size of a large page
  LARGE_PAGES_BYTES_MIN = 2*PAGE_BYTES // a smaller block would waste most of its large pages
};

void *platform_allocate(size_t bytes) {
  void *memory = NULL;
  if (bytes < LARGE_PAGES_BYTES_MIN) return malloc(bytes);
  if (posix_memalign(&memory, PAGE_BYTES, bytes) != 0) return NULL;
  // A failure does no harm: the block then has small pages.
  madvise(memory, bytes & ~(size_t)(PAGE_BYTES - 1), MADV_HUGEPAGE);
  return memory;
}
#else
void *platform_allocate(size_t bytes) { return malloc(bytes); }
#endif

#if defined(PLATFORM_AVX)
#include <cpuid.h>

atomic_int platform_known_features;

// 1: the processor has wide registers, and the system saves them when it switches threads.
static int has_wide_registers(unsigned ecx) {
  const unsigned osxsave_and_avx = 1U << 27 | 1U << 28, kept = 2U | 4U;   // XMM and YMM
  if ((ecx & osxsave_and_avx) != osxsave_and_avx) return 0;
  unsigned low, high;
  __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kept) == kept;
}

int platform_ask_features(void) {
  unsigned eax, ebx, ecx, edx;
  int features = PLATFORM_ASKED;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && has_wide_registers(ecx)) {
    if (ecx & 1U << 12) features |= PLATFORM_HAS_FMA;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & 1U << 5))
      features |= PLATFORM_HAS_AVX2;
  }
  atomic_store_explicit(&platform_known_features, features, memory_order_relaxed);
  return features;
}
#endif
