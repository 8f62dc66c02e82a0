"""sanitized.py - how Python loads a library that was built with sanitizers."""
import os
import re
import subprocess


def environment(library):
    """What the environment needs so that an interpreter without sanitizers can load `library`: its
    runtime comes first in the process.  The interpreter's own leaks are none of our business."""
    linked = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=True).stdout
    runtime = re.search(r"=> (\S*lib[at]san\S*)", linked)
    if not runtime:
        return {}
    kept = os.environ.get("ASAN_OPTIONS", "")
    return {"LD_PRELOAD": runtime.group(1), "ASAN_OPTIONS": f"{kept}:detect_leaks=0".lstrip(":")}
