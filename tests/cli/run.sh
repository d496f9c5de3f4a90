#!/usr/bin/env bash
# Runs all tests of the program by hand: tests/cli/run.sh BUILD, where BUILD/cli/perp is the program.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: tests/cli/run.sh BUILD}" && pwd) || exit 2
export PERP=$build/cli/perp JSON_CHECK=$build/tests/cli/cli_json_check TERMINAL=$build/tests/cli/cli_terminal
export RECORD_SAMPLE=$build/tests/record_sample RECORD_SWIRL=$build/tests/record_swirl RECORD_INFO=$build/tests/record_info
export RECORD_FORGE=$build/tests/record_forge PEAK=$build/tests/cli/cli_peak
export SOURCE=${here%/tests/cli}
status=0
for script in "$here"/*/test_*.sh; do
  echo "# ${script##*/}"
  bash "$script" || status=1
done
exit $status
