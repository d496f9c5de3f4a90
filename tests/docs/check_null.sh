#!/usr/bin/env bash
# check_null.sh ROOT: tests/support/null_calls.def has every function of the public headers, and no other.
set -uo pipefail
cd "$1" || exit 1
declared=$(sed -n 's/^[a-z].*[ *]\(perp_[a-z_]*\)(.*/\1/p' include/perp/*.h | sort -u)
tried=$(sed -n 's/^\(REFUSES\|TAKES\|PLAIN\)(\(perp_[a-z_]*\).*/\2/p' tests/support/null_calls.def | sort -u)
[ "$(wc -l <<<"$declared")" -ge 90 ] || { echo "found only these functions: $declared"; exit 1; }
missing=$(comm -23 <(echo "$declared") <(echo "$tried"))
unknown=$(comm -13 <(echo "$declared") <(echo "$tried"))
[ -z "$missing" ] || echo "tests/support/null_calls.def does not call: $missing"
[ -z "$unknown" ] || echo "tests/support/null_calls.def calls what no header declares: $unknown"
[ -z "$missing$unknown" ]
