# SPDX-License-Identifier: Apache-2.0
"""Ranks of Python start children in all ways that its own modules know."""
import asyncio
import multiprocessing
import os
import subprocess

# The test of images alone sets one name, marun the other; children get RANK.
rank = os.environ["RANK"] = os.environ.get("RANK") or os.environ["TAIHU_RANK"]


def square(x):
    return x * x


def check_subprocess():
    done = subprocess.run(["sh", "-c", "echo child of $RANK; echo error >&2; cat; exit 3"], capture_output=True,
                          input=b"given", timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (3, f"child of {rank}\ngiven".encode(), b"error\n"), done
    assert subprocess.check_output("pwd", cwd="/", text=True) == "/\n"
    assert subprocess.run(["sh", "-c", "exit 5"], preexec_fn=lambda: None).returncode == 5
    try:
        raise AssertionError(subprocess.run(["no such program"]))
    except FileNotFoundError:
        pass
    children = [subprocess.Popen(["sleep", "0.1"]) for _ in range(3)]
    assert [child.wait() for child in children] == [0, 0, 0]
    with os.popen("echo piped") as pipe:
        assert pipe.read() == "piped\n"
    assert os.system("exit 3") >> 8 == 3
    child = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 6"], os.environ)
    ended, status = os.wait()
    assert ended == child and os.waitstatus_to_exitcode(status) == 6


async def check_asyncio():
    child = await asyncio.create_subprocess_exec("echo", "async", stdout=asyncio.subprocess.PIPE)
    output, _ = await child.communicate()
    assert output == b"async\n" and child.returncode == 0


if __name__ == "__main__":
    check_subprocess()
    asyncio.run(check_asyncio())
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
    print(f"rank {rank}: children of Python are its own", flush=True)
