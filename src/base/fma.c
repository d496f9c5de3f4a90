// fma.c: a b + c rounded once, for Windows, where the C library rounds twice.
//
// mingw-w64's fma() adds in 80 bits and rounds the sum to 53, so its last bit is often wrong
// (docs/portable.md has numbers). Our proofs need the exact rounding, so this function replaces it.
// Functions compiled for processors with the fma instruction (error_free.h) do not call it.
#include <math.h>
#include <stdint.h>

#if defined(_WIN32) && defined(__GNUC__)

__extension__ typedef unsigned __int128 digits;
typedef struct big { digits m; int e; } big;   // m 2^e, with the highest bit of m at TOP

// A double has 64 - SPARE bits.
enum bits { TOP = 125, HALF = 64, LEAST_EXPONENT = -1074, SPARE = 11 };

static big big_from(digits m, int e) {   // 0 < m < 2^(TOP + 1)
  for (; m >> TOP == 0; m <<= 1) e--;
  return (big){m, e};
}

// m/2^k; the last bit is 1 if bits were lost, so that a later rounding sees them.
static digits shifted(digits m, int k) {
  if (k <= 0) return m;
  if (k > TOP + 2) return m != 0;
  return m >> k | ((m >> k) << k != m);
}

double fma(double a, double b, double c) {
  if (!isfinite(a) || !isfinite(b) || a == 0.0 || b == 0.0) return a*b + c;
  if (!isfinite(c)) return c;
  if (c == 0.0) return a*b;
  int ea, eb, ec;
  const uint64_t ma = (uint64_t)ldexp(fabs(frexp(a, &ea)), 53),
                 mb = (uint64_t)ldexp(fabs(frexp(b, &eb)), 53),
                 mc = (uint64_t)ldexp(fabs(frexp(c, &ec)), 53);
  int negative = !signbit(a) != !signbit(b);
  const int opposed = negative != (signbit(c) != 0);
  big x = big_from((digits)ma*mb, ea + eb - 106), y = big_from(mc, ec - 53);
  if (y.e > x.e || (y.e == x.e && y.m > x.m)) {   // |x| >= |y|
    const big larger = y;
    y = x;
    x = larger;
    negative = signbit(c) != 0;
  }
  y.m = shifted(y.m, x.e - y.e);
  if (opposed && x.m == y.m) return 0.0;
  digits sum = opposed ? x.m - y.m : x.m + y.m;
  int e = x.e + HALF;
  for (; sum >> 127 == 0; sum <<= 1) e--;
  uint64_t m = (uint64_t)shifted(sum, HALF);             // |result| = m 2^e, m >= 2^63
  double r = (double)m;                                  // this conversion rounds
  const int below = LEAST_EXPONENT - (e + SPARE);        // > 0: a subnormal number has fewer bits
  if (below > 0) {
    m = (uint64_t)shifted(m, below);
    r = (double)(m | (uint64_t)1 << 63) - 0x1p63;        // rounds at bit SPARE, as for m >= 2^63
    e += below;
  }
  return ldexp(negative ? -r : r, e);
}
#endif
