// platform.h: everything that differs between operating systems and processors.
//
// Threads come from pthreads or from Windows. Without either, PLATFORM_THREADS is not set and all
// work is serial. The clock (clock.h) and large blocks of memory (allocator.c) come from platform.c
// too.
#ifndef PERP_PLATFORM_H
#define PERP_PLATFORM_H

#include <stddef.h>

#if !defined(PERP_NO_THREADS) && !defined(__wasm__) && !defined(__STDC_NO_ATOMICS__)
#define PLATFORM_THREADS
#endif

#if defined(_WIN32)   // laid out as HANDLE, SRWLOCK, CONDITION_VARIABLE of <windows.h>
typedef void *platform_thread;
typedef struct platform_mutex { void *state; } platform_mutex;
typedef struct platform_condition { void *state; } platform_condition;
typedef unsigned long platform_result;   // a thread's function returns 0
#define PLATFORM_CALL __stdcall
#elif defined(PLATFORM_THREADS)
#include <pthread.h>
typedef pthread_t platform_thread;
typedef pthread_mutex_t platform_mutex;
typedef pthread_cond_t platform_condition;
typedef void *platform_result;
#define PLATFORM_CALL
#endif

#if defined(PLATFORM_THREADS)
// Starts a thread that blocks all signals, so that the program's own threads get them. Returns 0 if
// the system cannot start it.
int platform_start(platform_thread *thread, platform_result(PLATFORM_CALL *run)(void *),
                   void *data);
void platform_join(platform_thread thread);
void platform_mutex_init(platform_mutex *m);
void platform_mutex_destroy(platform_mutex *m);
void platform_lock(platform_mutex *m);
void platform_unlock(platform_mutex *m);
void platform_condition_init(platform_condition *c);
void platform_condition_destroy(platform_condition *c);
void platform_wait(platform_condition *c, platform_mutex *m);
void platform_wake_one(platform_condition *c);
void platform_wake_all(platform_condition *c);
// Number of forks from the first process that called this to the current one. Windows: 0.
int platform_forks(void);

static inline void platform_pause(void) {   // inside a loop that waits for another thread
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}
#endif

// Memory to be released by free(). A large block is on large pages where the system has them.
void *platform_allocate(size_t bytes);

// Processor features, with compilers that can compile a single function for them (error_free.h,
// four_doubles.h). Windows aligns the stack to 16 bytes, but GCC assumes 32. So the Windows build defines
// PERP_NO_AVX unless its assembler can replace aligned moves by unaligned ones.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(PERP_NO_AVX)
#include <stdatomic.h>
#define PLATFORM_AVX
enum platform_feature { PLATFORM_ASKED = 1, PLATFORM_HAS_FMA = 2, PLATFORM_HAS_AVX2 = 4 };
extern atomic_int platform_known_features;   // 0: not read yet
int platform_ask_features(void);
static inline int platform_has(int features) {
  int known = atomic_load_explicit(&platform_known_features, memory_order_relaxed);
  if (known == 0) known = platform_ask_features();
  return (known & features) == features;
}
#endif

#endif
