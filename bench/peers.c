// peers.c: the list of peers of this build.
#include "peers.h"

#include <stddef.h>

#ifndef BENCH_SICONOS
#define siconos_sparse NULL
#define siconos_dense NULL
#endif
#ifndef BENCH_BULLET
#define bullet_dense NULL
#define bullet_skipping NULL
#endif
#ifndef BENCH_DART
#define dart_dense NULL
#endif

const peer peer_list[] = {
  {"Siconos lcp_pgs", siconos_sparse, 0},
  {"Siconos lcp_pgs", siconos_dense, 1},
  {"Bullet PGS", bullet_dense, 1},
  {"Bullet PGS, no zeros", bullet_skipping, 1},
  {"DART PGS", dart_dense, 1},
};
const int32_t peer_count = (int32_t)(sizeof peer_list/sizeof peer_list[0]);
