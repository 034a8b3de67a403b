# SPDX-License-Identifier: Apache-2.0
"""What programs do beside computing, in ranks: threads, signals, the end. The first argument says what."""

import asyncio
import atexit
import faulthandler
import os
import signal
import sys
import tempfile
import threading
import time
import tracemalloc

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


def events():
    """A loop of asyncio that waits for a signal of the rank's timer, and for the end of children, several at a time."""

    async def work():
        rung = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGALRM, rung.set)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        await asyncio.wait_for(rung.wait(), 20)
        children = [await asyncio.create_subprocess_exec("/bin/sh", "-c", f"sleep 0.05; exit {code}") for code in range(4)]
        return await asyncio.gather(*(child.wait() for child in children))

    assert asyncio.run(work()) == [0, 1, 2, 3]
    print(f"rank {RANK}: events", flush=True)


def diagnosis():
    """Stacks on a signal and after a while, and who has allocated how much: each rank's own."""
    with tempfile.TemporaryFile() as file:
        faulthandler.register(signal.SIGUSR1, file)
        signal.raise_signal(signal.SIGUSR1)
        faulthandler.dump_traceback_later(0.1, file=file)
        text, end = "", time.monotonic() + 20
        while "in diagnosis" not in text.partition("Timeout")[2] and time.monotonic() < end:
            time.sleep(0.05)
            text = os.pread(file.fileno(), 1 << 16, 0).decode()
    assert text.count("in diagnosis") == 2 and "Timeout" in text, text
    tracemalloc.start()
    kept = [bytes(1000) for _ in range(1000)]
    most = tracemalloc.take_snapshot().statistics("lineno")[0]
    assert len(kept) == 1000 and most.size >= 1000000 and most.traceback[0].filename == __file__, most
    print(f"rank {RANK}: diagnosis", flush=True)


if __name__ == "__main__":
    {"threads": threads, "alarm": alarm, "interrupt": interrupt, "endings": endings, "events": events,
     "diagnosis": diagnosis}[sys.argv[1]]()
