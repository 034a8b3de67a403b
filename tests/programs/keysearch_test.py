# SPDX-License-Identifier: Apache-2.0
"""examples/keysearch on archives that this test makes: the password is found in both models and by the kernels, none where there
is none, a search that is ended goes on from its checkpoint, and keys are those of Python's library.
Usage: keysearch_test.py FOLDER WORK PARCRUN WORDS"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

folder, work, command = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
shutil.rmtree(work, ignore_errors=True)
(work / "letters").mkdir(parents=True)
(work / "letters/one").write_text("a letter\n" * 300)
(work / "letters/two").write_text("another\n")
archive, rounds = work / "letters.enc", 20
tar = subprocess.run(["tar", "c", "-C", work, "letters"], check=True, stdout=subprocess.PIPE).stdout


def encrypt(password):
    subprocess.run(["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-iter", str(rounds), "-md", "sha256", "-pass", f"pass:{password}",
                    "-out", archive], input=tar, check=True)


def search(program, *words, code=0):
    done = subprocess.run(command + [f"{folder}/keysearch_{program}", *map(str, words), archive], capture_output=True, text=True)
    assert done.returncode == code, (program, words, done)
    return done.stdout + done.stderr


# Keys by OpenSSL itself and by Python agree on what the archive is.
encrypt("cab")
salt = archive.read_bytes()[8:16]
key = hashlib.pbkdf2_hmac("sha256", b"cab", salt, rounds, 48)
plain = subprocess.run(["openssl", "enc", "-d", "-aes-256-cbc", "-K", key[:32].hex(), "-iv", key[32:].hex()],
                       input=archive.read_bytes()[16:], check=True, stdout=subprocess.PIPE).stdout
assert plain == tar
# A start of several node processes takes its time.
is_short = command[command.index("--processes-per-node") + 1] != "1"
for program in ("autonomic", "kernels") if is_short else ("processes", "autonomic", "kernels"):
    for password in ("zzz",) if is_short else ("aaa", "cab", "zzz"):
        encrypt(password)
        assert f"is {password} (correct)" in search(program, "-l", 3, "-r", rounds), program
    encrypt("b7")
    assert "is b7 (correct)" in search(program, "-l", 2, "-s", "abc789", "-r", rounds, "-a")
    output = search(program, "-l", 2, "-s", "abc", "-r", rounds, code=1)
    assert "has none of them" in output and "keysearch: 9 of 9 passwords tried" in output, output
    if is_short:
        continue
    # Without the password each task is done once: all candidates are tried.
    assert "keysearch: 17576 of 17576 passwords tried" in search(program, "-l", 3, "-r", rounds, code=1)
# A search that has tried everything without the password has nothing left to do; one that has found it finds it again.
encrypt("zzz")
checkpoint = work / "search.tasks"
for turn in range(2):
    assert "is zzz (correct)" in search("autonomic", "-l", 3, "-r", rounds, "-c", checkpoint)
tried = int(re.search(r"(\d+) of 17576", search("processes", "-l", 3, "-r", rounds, "-c", checkpoint)).group(1))
assert tried < 17576 / 2, tried
if is_short:
    print("keysearch: passwords found in both models and by kernels")
    sys.exit()
# Wrong use, and files that are no archives.
assert "usage: keysearch" in search("processes", code=2)
assert "usage: keysearch" in search("processes", "-l", 0, code=2)
archive.write_bytes(b"no archive" * 100)
assert "is not a file of openssl enc" in search("processes", "-l", 2, code=1)
archive.write_bytes(b"Salted__" + bytes(100))
assert "too short" in search("processes", "-l", 2, code=1)
archive.unlink()
assert "cannot be read" in search("processes", "-l", 2, code=1)
print("keysearch: passwords found in both models and by kernels")
