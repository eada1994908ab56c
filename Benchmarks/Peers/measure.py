"""What the Python peers share: the clock, memory, workers, and the one line of JSON each run prints."""

import json
import multiprocessing
import sys
import time
from datetime import datetime, timezone

EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)
WORKERS = 8


def memory(field):
    """Kilobytes: VmRSS is resident now, VmHWM its peak."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    return 0


class Outcome:
    """What one run did, to be compared with what the database says."""

    def __init__(self, count, total=0.0, held=0):
        self.count, self.total, self.held = count, total, held


def run(workloads, connect):
    """Runs the workload that the command line names: NAME URL N."""
    name, url, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    start = time.perf_counter()
    peer = connect(url)
    if name == "W9":
        outcome = workloads[name](peer, n)
        seconds = time.perf_counter() - start
    elif name == "W8":
        outcome, seconds = contend(workloads[name], peer, n)
    else:
        # The first use of a table fills the session's caches, which belongs to cold starts only.
        peer.warm_up()
        prepare = workloads.get(name + " before")
        arguments = [peer, n] if prepare is None else [peer, n, prepare(peer)]
        start = time.perf_counter()
        outcome = workloads[name](*arguments)
        seconds = time.perf_counter() - start
    print(json.dumps({
        "seconds": seconds, "count": outcome.count, "sum": outcome.total, "held": outcome.held,
        "peak": memory("VmHWM"),
    }))


def contend(visit, peer, n):
    """Lets 8 processes visit the same 100 rows n / 8 times each: threads would wait for the interpreter's lock."""
    keys = peer.keys(100)
    peer.close()
    barrier = multiprocessing.Barrier(WORKERS + 1)
    processes = [
        multiprocessing.Process(target=_work, args=(visit, peer, keys, worker, n // WORKERS, barrier))
        for worker in range(WORKERS)
    ]
    for process in processes:
        process.start()
    barrier.wait()
    start = time.perf_counter()
    for process in processes:
        process.join()
    seconds = time.perf_counter() - start
    if any(process.exitcode for process in processes):
        sys.exit("a worker failed")
    return Outcome(n // WORKERS * WORKERS), seconds


def _work(visit, peer, keys, worker, each, barrier):
    peer.warm_up()
    barrier.wait()
    for i in range(each):
        visit(peer, keys[(i * 7 + worker * 13) % 100])


def attributes(i):
    """The attributes of the i-th new employee."""
    return {
        "first_name": f"First{i}", "last_name": f"Last{i % 1000:03}", "email": f"first{i}@example.com",
        "salary": float(i % 5000), "rating": i % 50 / 10, "hired_at": datetime.fromtimestamp(946684800 + i, timezone.utc),
        "visits": i, "level": i % 10, "active": i % 2 == 0,
    }


def touch(employee):
    """Adds up every attribute, so that none of them can go unread."""
    return (
        employee.visits + employee.salary + employee.rating + (employee.hired_at - EPOCH).total_seconds()
        + employee.level + employee.active + len(employee.first_name) + len(employee.last_name) + len(employee.email)
    )
