#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# programs.sh PROGRAM LIBRARY SOURCE BUILD: runs a real program with the heap in LD_PRELOAD and compares its result with that
# of a run without it. Exit code 77: the program is not installed.
set -euo pipefail
program=$1 library=$2 source=$3 build=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
  echo "programs.sh: SKIPPED: $1 is not installed"
  exit 77
}

# Runs a command twice, without and with the heap; its standard output must be the same.
same() {
  "$@" >"$work/plain"
  LD_PRELOAD=$library "$@" >"$work/preloaded"
  cmp "$work/plain" "$work/preloaded"
  echo "programs.sh: same result: $1"
}

case $program in
  compiler)
    command -v g++ >/dev/null || skip g++
    same g++ -std=c++20 -O2 -g -S -o - -I"$source" "$source/bench/heap/general_patterns.cc"
    same g++ -std=c++20 -O1 -S -o - -I"$source" "$source/taihu/memory/heap/heap_test.cc"
    ;;
  clang)
    clang=$(command -v clang-19 || command -v clang) || skip clang
    same "$clang" -O2 -g -S -o - "$source/tests/heap/openmp.c"
    ;;
  python)
    command -v python3 >/dev/null || skip python3
    python3 -c 'import test.support' 2>/dev/null || skip "Python's own test suite"
    export PYTHONMALLOC=malloc # every object through malloc, not through Python's own pools
    for name in test_list test_dict test_bytes test_re test_json test_zlib test_thread test_fork1 test_deque; do
      if LD_PRELOAD=$library python3 -m test -q "$name" >"$work/out" 2>&1; then
        echo "programs.sh: $name passed"
      elif python3 -m test -q "$name" >/dev/null 2>&1; then
        cat "$work/out"
        exit 1
      else
        # It says nothing about the heap then.
        echo "programs.sh: $name left out: it fails without the heap, too"
      fi
    done
    grep -q . "$work/out"
    ;;
  sqlite)
    command -v sqlite3 >/dev/null || skip sqlite3
    cat >"$work/script" <<'SQL'
create table measurement(id integer primary key, place text, value real, note blob);
with recursive n(x) as (values(1) union all select x + 1 from n where x < 60000)
insert into measurement select x, 'place ' || (x * 7919 % 500), x * 0.25, zeroblob(x % 300) from n;
create index by_place on measurement(place, value);
select place, count(*), sum(value), sum(length(note)) from measurement group by place order by 3 desc limit 20;
update measurement set note = hex(note) where id % 3 = 0;
delete from measurement where id % 5 = 0;
select count(*), sum(length(note)) from measurement;
select a.place, count(*) from measurement a join measurement b on a.place = b.place and a.id < b.id and b.id < 3000
group by a.place order by 1 limit 10;
vacuum;
pragma integrity_check;
SQL
    same sqlite3 "" ".read $work/script"
    ;;
  openmp) same "$build/tests/heap_openmp" ;;
  fortran)
    command -v gfortran >/dev/null || skip gfortran
    gfortran -O2 -fopenmp "$source/tests/heap/allocatable.f90" -o "$work/program"
    same "$work/program"
    ;;
  parallelc | mpi)
    # Ranks are copies of the program in one process; its malloc is the preloaded one for all of them.
    if [ "$program" = parallelc ]; then
      "$build/bin/parcc" -O2 "$source/tests/programs/collectives.c" -o "$work/program"
      run=("$build/bin/parcrun")
    else
      "$build/bin/macc" -O2 "$source/tests/mpi/programs/collectives.c" -o "$work/program"
      run=("$build/bin/marun")
    fi
    for ranks in 1 4; do
      # The complaint about the variable shows that the node process had the heap.
      "${run[@]}" -n $ranks -x "LD_PRELOAD=$library" -x TAIHU_HEAP_DECAY=soon "$work/program" >"$work/out" 2>"$work/lines"
      cat "$work/out" "$work/lines"
      grep -q 'passed' "$work/out"
      grep -q 'taihu heap: TAIHU_HEAP_DECAY=soon is ignored' "$work/lines"
    done
    ;;
  ranks)
    # Ranks have the heap without being asked, and the C library's malloc when that is wanted.
    "$build/bin/macc" -O2 "$source/tests/mpi/programs/collectives.c" -o "$work/program"
    for heap in taihu libc; do
      "$build/bin/marun" -n 4 -x TAIHU_HEAP=$heap -x TAIHU_HEAP_DECAY=soon "$work/program" >"$work/out" 2>&1
      cat "$work/out"
      grep -q 'passed' "$work/out"
      lines=$(grep -c 'taihu heap: TAIHU_HEAP_DECAY=soon is ignored' "$work/out" || true)
      test "$heap $lines" = "taihu 1" -o "$heap $lines" = "libc 0"
    done
    # The table of a node process, though that ends without destructors.
    for wanted in "taihu 1 1" "taihu 2 2" "libc 1 0"; do
      read -r heap processes tables <<<"$wanted"
      "$build/bin/marun" -n 4 --processes-per-node "$processes" -x TAIHU_HEAP="$heap" -x TAIHU_HEAP_STATS=1 "$work/program" \
        >"$work/out" 2>"$work/lines"
      cat "$work/lines"
      test "$(grep -c '^taihu heap of process' "$work/lines")" = "$tables"
      test "$(grep -c 'profile: TAIHU_HEAP_PREALLOC=' "$work/lines")" = "$tables"
    done
    # Programs with a malloc of their own keep it, with both.
    for way in ARENA LIBC NEXT; do
      "$build/bin/macc" -O1 -fno-builtin -D$way "$source/tests/heap/own_malloc.c" -o "$work/own"
      for heap in taihu libc; do
        "$build/bin/marun" -n 3 -x TAIHU_HEAP=$heap "$work/own" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
        test "$(grep -c 'own malloc: passed' "$work/out")" = 3
      done
    done
    ;;
  linked)
    # So do programs that are linked to one.
    tcmalloc=$(/sbin/ldconfig -p | sed -n 's/.*=> \(.*libtcmalloc_minimal.so.4\)$/\1/p' | head -1)
    test -n "$tcmalloc" || skip libtcmalloc_minimal.so.4
    "$build/bin/macc" -O1 -fno-builtin -DLINKED "$source/tests/heap/own_malloc.c" -Wl,--no-as-needed "$tcmalloc" -o "$work/own"
    "$build/bin/marun" -n 3 "$work/own" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
    test "$(grep -c 'own malloc: passed' "$work/out")" = 3
    ;;
  *)
    echo "programs.sh: there is no program '$program'" >&2
    exit 2
    ;;
esac
