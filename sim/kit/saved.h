// saved.h: what the saved states of worlds and fluids have in common: a mark, a hash of what they
// belong to, and finite numbers. Numbers have this machine's byte order.
#ifndef PERP_SAVED_H
#define PERP_SAVED_H

#include <perp/perp.h>

typedef struct saved_head {   // a state begins with it
  char mark[8];               // which library, and which version of its states
  uint64_t kind;              // a hash of what is not saved: settings and shapes
} saved_head;

#define SAVED_HASH_START 0xCBF29CE484222325u
void saved_mix(uint64_t *hash, const void *data, size_t bytes);   // FNV-1a
int saved_is_finite(const void *numbers, size_t bytes);           // doubles, at any address
// Copies the first head_bytes of the state into head, if it has the mark that `from` writes.
perp_error saved_read(const void *memory, size_t size, const char mark[8], const char *from,
                      void *head, size_t head_bytes);
// *what* is "world", with `count` bodies ("bodies") and this kind; the state is of `saved` and h.
perp_error saved_check(const saved_head *h, uint64_t kind, const char *what, const char *bodies,
                       int32_t saved, int32_t count, const char *differs);

#endif
