"""How the peers repeat a call, and what they print: one line of JSON with the fields of bench/timing."""

import json
import os
import resource
import time


def repeat(seconds, call):
    """Call for so many seconds, at least three times, or twice where the first took all the time, and at most 1000 times: the seconds
    of every call, and the last result."""
    taken = []
    while len(taken) < 1000 and sum(taken) < seconds or len(taken) < 3 and not (len(taken) == 2 and taken[0] > seconds):
        start = time.perf_counter()
        value = call()
        taken.append(time.perf_counter() - start)
    return taken, value


def report(program, version, seconds, **more):
    more |= {"program": program, "version": version, "seconds": seconds, "threads": len(os.sched_getaffinity(0))}
    more["huge_pages"] = os.environ.get("THP_MEM_ALLOC_ENABLE") == "1"
    more["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(more))
