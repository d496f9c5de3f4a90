"""For tests that need numpy and scipy: another interpreter that may have them."""
import os
import sys

SYSTEM = "/usr/bin/python3"


def restart_or_skip():
    """Runs this program again by the system's interpreter, or ends it with 77 (skipped)."""
    if os.environ.get("CROSS_SCIPY_RETRIED") or not os.access(SYSTEM, os.X_OK):
        print("skipped: no python3 with numpy and scipy")
        sys.exit(77)
    os.environ["CROSS_SCIPY_RETRIED"] = "1"
    os.execv(SYSTEM, [SYSTEM] + sys.argv)
