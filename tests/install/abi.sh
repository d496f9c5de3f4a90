#!/usr/bin/env bash
# The installed headers are what tests/install/abi records, and each library, shared and static,
# defines the functions of its headers and no other name.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need python3 nm
scratch abi
abi=$PERP_SOURCE/scripts/interface/abi.py

try python3 "$abi" --check "$libdir" --include "$PERP_PREFIX/include" --cc "$PERP_CC"

# And it would notice a function that is only declared, or only defined.
cp -R "$PERP_PREFIX/include" "$work/include"
sed -i 's/^perp_error perp_validate(/perp_error perp_validated(/' "$work/include/perp/perp.h"
try python3 "$abi" --write --include "$work/include" --records "$work/abi" --cc "$PERP_CC"
said=$(python3 "$abi" --check "$libdir" --include "$work/include" --records "$work/abi" --cc "$PERP_CC")
[ $? -eq 1 ] || die "a function that does not exist was not noticed: $said"
for library in libperp.so libperp.a; do
  grep -qxF "$library does not define perp_validated, which a header declares" <<<"$said" || die "$said"
  grep -qxF "$library defines perp_validate, which no header declares" <<<"$said" || die "$said"
done
