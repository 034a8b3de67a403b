# SPDX-License-Identifier: Apache-2.0
"""What programs do beside computing, in ranks: threads, signals, the end. The first argument says what."""

import atexit
import os
import signal
import sys
import threading
import time

RANK = int(os.environ["TAIHU_RANK"])


def threads():
    """Threads of a rank share its modules, and its lock alone."""
    sums = []

    def work(part):
        sums.append(sum(i * i for i in range(part, 200000, 4)))

    workers = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sum(sums) == sum(i * i for i in range(200000))
    assert threading.active_count() == 1 and threading.current_thread() is threading.main_thread()
    print(f"rank {RANK}: threads", flush=True)


def alarm():
    """A signal handler of a rank, and its own timer."""
    seen = []
    signal.signal(signal.SIGALRM, lambda number, _frame: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.05 * (RANK + 1))
    end = time.monotonic() + 20
    while not seen and time.monotonic() < end:
        time.sleep(0.01)
    assert seen == [signal.SIGALRM], seen
    print(f"rank {RANK}: alarm", flush=True)


def interrupt():
    """Waits for what the terminal sends."""
    print(f"rank {RANK}: waits", flush=True)
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        print(f"rank {RANK}: interrupted", flush=True)
        raise


def endings():
    """Handlers run at a rank's end, and exceptions of threads do not end it."""
    atexit.register(print, f"rank {RANK}: at exit", flush=True)

    def fail():
        raise RuntimeError("in a thread")

    worker = threading.Thread(target=fail)
    worker.start()
    worker.join()
    sys.exit(0)


if __name__ == "__main__":
    {"threads": threads, "alarm": alarm, "interrupt": interrupt, "endings": endings}[sys.argv[1]]()
