#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests of rank images with real programs: ranks_test.sh RUNNER CASE [arguments of the case]. Exit code 0: passed,
# 77: skipped because a compiler is not installed, else failed with a line that says why.
set -u
runner=$1 case=$2
shift 2
programs=$(cd "$(dirname "$0")/programs" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
as_image="-fPIC -shared -Wl,-Bsymbolic -Wl,--dynamic-linker=/lib64/ld-linux-x86-64.so.2"
[ "$(uname -m)" = aarch64 ] && as_image="-fPIC -shared -Wl,-Bsymbolic -Wl,--dynamic-linker=/lib/ld-linux-aarch64.so.1"

fail() { echo "FAILED: $*"; exit 1; }
need() { command -v "$1" >/dev/null || { echo "skipped: no $1"; exit 77; }; }
run() { timeout 60 "$runner" "$@"; }
# expect STATUS TEXT COMMAND...: the command ends with STATUS and its output has TEXT
expect() {
  local want=$1 text=$2 status
  shift 2
  "$@" >output 2>&1 </dev/null
  status=$?
  [ $status = "$want" ] || { cat output; fail "status $status, expected $want: $*"; }
  [ -z "$text" ] || grep -qF -- "$text" output || { cat output; fail "no '$text' in the output of $*"; }
}

case $case in
privacy)  # compiler language optimisation style(image|pie) [further flags]
  compiler=$1 language=$2 level=$3 style=$4
  shift 4
  need "$compiler"
  flags="$level -g -Wall $* -x $language"
  libflags="-fPIC -shared"
  $compiler $flags $libflags -DPART=linked "$programs/privacy_part.c" -o liblinked.so || fail compile
  $compiler $flags $libflags -DPART=opened "$programs/privacy_part.c" -o opened.so || fail compile
  if [ "$style" = image ]; then imageflags=$as_image; else imageflags="-fPIE -pie -DNO_LINKED_THREAD_LOCAL"; fi
  [ "$style$(uname -m)" = pieaarch64 ] && imageflags="$imageflags -DNO_PROGRAM_THREAD_LOCAL"
  $compiler $flags $imageflags "$programs/privacy_main.c" -x none ./liblinked.so -Wl,-rpath,. -o program || fail compile
  expect 0 "rank 4 is private" run 5 ./program ./opened.so
  expect 0 "rank 0 is private" run 1 ./program ./opened.so
  ;;
libc)  # flags of the program
  gcc -g "$@" "$programs/libc_state.c" -o program -lm 2>/dev/null || fail compile
  expect 0 "rank 6: libc is private" run 7 ./program
  ;;
libc-image)
  gcc -g -O2 $as_image -D_FORTIFY_SOURCE=2 "$programs/libc_state.c" -o program -lm 2>/dev/null || fail compile
  expect 0 "rank 6: libc is private" run 7 ./program
  ;;
cpp)  # compiler style optimisation
  compiler=$1 style=$2 level=$3
  need "$compiler"
  $compiler -std=c++17 $level -g -fPIC -shared "$programs/cpp_library.cc" -o libcpp.so || fail compile
  flags="-fPIE -pie"
  [ "$style" = image ] && flags=$as_image
  $compiler -std=c++17 $level -g $flags "$programs/cpp_state.cc" ./libcpp.so -Wl,-rpath,. -pthread -o program || fail compile
  expect 0 "rank 3 ends A AB" run 4 ./program argument
  [ "$(grep -c 'ends' output)" = 8 ] || { cat output; fail "8 destructors expected"; }
  [ "$(grep 'rank 3' output | head -1)" = "rank 3 ends B AB" ] || { cat output; fail "order of destructors"; }
  ;;
fortran)  # optimisation style
  need gfortran
  flags="-fPIE -pie"
  [ "$2" = image ] && flags=$as_image
  gfortran "$1" -g $flags "$programs/fortran_state.f90" -o program || fail compile
  expect 0 "rank 7 is private" run 8 ./program
  ;;
ends)
  gcc -O1 -g "$programs/ends.c" -o program -pthread 2>/dev/null || fail compile
  expect 3 "rank 1: status 3" run 2 ./program exit
  [ "$(grep 'rank 1' output | tr '\n' ' ')" = "rank 1: b rank 1: status 3 rank 1: a rank 1: last " ] ||
    { cat output; fail "order of handlers"; }
  grep -q "rank 0: last" output || { cat output; fail "rank 0 did not go on"; }
  expect 4 "rank 1: status 4" run 2 ./program return
  expect 5 "rank 0: last" run 2 ./program _exit
  grep -q "rank 1" output && { cat output; fail "handlers after _exit"; }
  expect 6 "rank 1: quick" run 2 ./program quick_exit
  grep -q "rank 1: last" output && { cat output; fail "destructors after quick_exit"; }
  expect 7 "rank 1: a" run 2 ./program big
  expect 134 "rank 1: signal 6" run 2 ./program abort
  expect 139 "rank 1: signal 11" run 2 ./program crash
  expect 139 "rank 1: signal 11" run 2 ./program overflow
  expect 1 "rank 1: 0 does not hold" run 2 ./program assert
  expect 9 "rank 1: joined" run 2 ./program thread
  grep -q "rank 1: exit 9 on another thread" output || { cat output; fail "nobody was told of the exit"; }
  expect 0 "rank 1: thread done" run 2 ./program pthread_exit
  echo '(sleep 0.5; kill -USR1 "$1") > signalled 2>&1 &' > signal.sh
  expect 0 "rank 3: last" run --attach "bash ./signal.sh" 4 ./program signal
  echo '(sleep 0.5; kill -TERM "$1") > signalled 2>&1 &' > signal.sh
  expect 143 "" run --attach "bash ./signal.sh" 4 ./program signal
  ;;
descriptors)
  gcc -g -O1 "$@" "$programs/descriptors.c" -o program || fail compile
  expect 0 "rank 3: descriptors are private" run 4 ./program
  expect 0 "rank 0: descriptors are private" run 1 ./program
  ;;
children)
  gcc -g -O1 "$@" "$programs/child_processes.c" -o program -pthread || fail compile
  expect 0 "rank 3: children are its own" run 4 ./program
  rm -r folder_of_*
  expect 0 "rank 0: children are its own" run 1 ./program
  ;;
time_zones)  # style
  flags="-fPIE -pie"
  [ "$1" = image ] && flags=$as_image
  gcc -g -O1 $flags "$programs/time_zones.c" -o program || fail compile
  expect 0 "rank 4: the time zone is private" run 5 ./program
  expect 0 "rank 0: the time zone is private" run 1 ./program
  expect 0 "rank 1: the time zone is private" env -u TZ TZ=Asia/Tokyo timeout 60 "$runner" 2 ./program
  ;;
processor_time)
  gcc -g -O1 "$programs/processor_time.c" -o program -pthread || fail compile
  expect 0 "rank 3: its own time" run 4 ./program
  grep -q "rank 3: setitimer is refused" output || { cat output; fail "no reason for the refusal"; }
  expect 0 "rank 0: its own time" run 1 ./program
  ;;
file_locks)
  gcc -g -O1 "$programs/file_locks.c" -o program || fail compile
  expect 0 "rank 3: locks exclude" run 4 ./program
  [ "$(cat counter)" = 400 ] || { cat counter; fail "4 ranks have counted to $(cat counter), not to 400"; }
  rm counter
  expect 0 "rank 0: locks exclude" run 1 ./program
  ;;
python)  # modules that start children; needs a Python that is position-independent and not of the system's folders
  need python3
  python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
  readelf -h "$python" | grep -q "DYN" || { echo "skipped: $python is linked to a fixed address"; exit 77; }
  case $python in /usr/bin/*) echo "skipped: the modules of $python are shared by all ranks"; exit 77 ;; esac
  expect 0 "rank 1: children of Python are its own" run 2 "$python" "$programs/children.py"
  ;;
stripped)
  gcc -O2 -s "$programs/ends.c" -o program -pthread 2>/dev/null || fail compile
  expect 3 "rank 2: status 3" run 3 ./program exit
  gcc -g0 $as_image -s "$programs/ends.c" -o program -pthread 2>/dev/null || fail compile
  expect 4 "rank 2: status 4" run 3 ./program return
  ;;
refusals)
  echo 'int main(void){return 0;}' > plain.c
  gcc -static plain.c -o static && expect 1 "is statically linked (it cannot be copied inside a process); link it without -static" run 1 ./static
  gcc -static-pie plain.c -o static_pie && expect 1 "is statically linked (it cannot be copied inside a process); link it without -static" run 1 ./static_pie
  gcc -no-pie plain.c -o fixed && expect 1 "is linked to a fixed address (it can be in memory only once); link it again with -pie and objects compiled with -fPIE" run 1 ./fixed
  echo '_Thread_local int x = 1; int main(void){return x++ - 1;}' > tls.c
  echo '_Thread_local char x[4097]; int main(void){return x[4096];}' > large.c
  gcc large.c -o large && expect 1 "bytes; ranks have room for 4096); relink it with parcc or macc, or compile with -fPIC and link with -shared -Wl,-Bsymbolic" run 1 ./large
  echo '_Thread_local _Alignas(128) char x; int main(void){return x;}' > aligned.c
  gcc aligned.c -o aligned && expect 1 "aligned' has thread_local variables at fixed distances (aligned to 128 bytes; ranks have room for 64); relink" run 1 ./aligned
  echo 'extern _Thread_local int x; int get(void){return x++;}' > get.c && gcc -fPIC -shared -mtls-dialect=gnu2 get.c -o libget.so
  echo '_Thread_local int x; int get(void); int main(void){get(); const int y = get(); return y + x - 3;}' > lent.c
  gcc lent.c ./libget.so -Wl,-rpath,. -o lent && expect 0 "" run 3 ./lent
  gcc -fPIC $as_image tls.c -o tls_image && expect 0 "" run 3 ./tls_image
  echo '_Thread_local int y = 1;' > y.c && gcc -fPIC -shared y.c -o liby.so
  echo 'extern _Thread_local int y; int get(void){return y;}' > usey.c
  gcc -fPIC -shared -ftls-model=initial-exec usey.c ./liby.so -Wl,-rpath,. -o libusey.so
  printf '%s\n' '#include <dlfcn.h>' '#include <stdio.h>' 'int main(void){if (!dlopen("./libusey.so", RTLD_NOW)) puts(dlerror()); return 0;}' > openy.c
  gcc openy.c -o openy && expect 0 "libusey.so' uses thread_local 'y' of '$(pwd -P)/liby.so' at a fixed offset (each rank has its own copy of both)" run 1 ./openy
  printf '#!/bin/sh\nexit 0\n' > script && expect 1 "script' is not an ELF program; give the compiled program itself, not a script" run 1 ./script
  expect 1 "cannot open './missing'" run 1 ./missing
  gcc -c plain.c -o object.o && expect 1 "is not a linked program or library; link it first" run 1 ./object.o
  echo 'int f(void){return 0;}' > f.c && gcc -fPIC -shared f.c -o libf.so && expect 1 "has no main; give a program, not a library" run 1 ./libf.so
  gcc plain.c -o whole && head -c 2000 whole > half && expect 1 "is a damaged ELF file" run 1 ./half
  gcc -c -fno-pic -mcmodel=large -x c - -o text.o <<< 'extern int e; int main(void){return e;} int e;' &&
    gcc -shared -Wl,-z,notext text.o -o textrel 2>/dev/null && expect 1 "has relocations in its code (text relocations); compile all of it with -fPIC" run 1 ./textrel
  printf '\177ELF\002\001\001' > other && head -c 57 /dev/zero >> other && expect 1 "is not for this kind of processor; compile it on this machine" run 1 ./other
  ;;
many)
  gcc -O1 "$programs/unchanged.c" -o program || fail compile
  expect 0 "loaded 256 ranks in" run --time 256 ./program
  cat output
  took=$(sed -n 's/loaded 256 ranks in \([0-9]*\).*/\1/p' output)
  [ "$took" -lt 1000 ] || fail "$took ms to load 256 ranks"
  ;;
again)  # style, further flags: ranks in the copies of those that have ended
  style=$1
  shift
  for flag in "$@"; do [ "$flag" != -fuse-ld=lld ] || need ld.lld-19; done
  compiler=gcc
  case "$*" in *lld*) compiler=clang-19 && need clang-19 ;; esac
  flags="-fPIE -pie" copies=false
  [ "$(uname -m)" = x86_64 ] && flags="$flags -DCOPIES" copies=true
  [ $compiler = clang-19 ] && flags="$flags -fdirect-access-external-data"
  [ "$style" = image ] && flags=$as_image copies=false
  $compiler -g -fPIC -shared "$programs/again_library.c" -o libagain.so "$@" || fail compile
  cp libagain.so opened.so
  $compiler -g -O1 $flags "$programs/again.c" ./libagain.so -Wl,-rpath,. -o program "$@" || fail compile
  ! $copies || readelf -rW program | grep -q 'COPY.*argp_err_exit_status' || fail "no copy of a variable of the C library"
  expect 0 "rank 2 has found all as it was" run --turns 3 3 ./program
  [ "$(grep -c 'found all' output)" = 9 ] || { cat output; fail "9 ranks should have run"; }
  [ "$(sed -n 's/.* as it was in //p' output | sort -u | wc -l)" = 5 ] || # rank 1 needs a new one each time
    { cat output; fail "they should have run in 5 copies"; }
  ;;
thread_variables)  # of a position-independent executable
  [ "$(uname -m)" = x86_64 ] || { echo "skipped: they lie elsewhere on $(uname -m)"; exit 77; }
  for model in initial-exec global-dynamic; do
    gcc -fPIC -shared -ftls-model=$model -DLIBRARY "$programs/thread_variables.c" -o libborrows.so || fail compile
    for flags in -O0 -O2 "-O2 -s" "-O2 -fopenmp" "-O2 -Wl,-z,norelro"; do
      gcc -g $flags -rdynamic "$programs/thread_variables.c" ./libborrows.so -Wl,-rpath,. -pthread -o program || fail compile
      readelf -lW program | grep -q '^ *TLS ' || fail "the program has no thread-local variables"
      expect 0 "rank 4 has its own" run --turns 2 5 ./program
      [ "$(grep -c 'has its own' output)" = 10 ] || { cat output; fail "10 ranks should have run"; }
    done
  done
  ;;
once)  # compiler: std::call_once and std::async in an ordinary executable
  compiler=$1
  [ "$(uname -m)" = x86_64 ] || { echo "skipped: thread-local variables lie elsewhere on $(uname -m)"; exit 77; }
  need "$compiler"
  # The last of these libraries stays for what follows.
  for flags in "-ftls-model=initial-exec" ${2:+"$2"} -O2; do
    $compiler -std=c++20 $flags -fPIC -shared -DLIBRARY "$programs/once.cc" -pthread -o libonce.so || fail compile
    for level in 0 2; do
      [ -e program$level ] || $compiler -std=c++20 -O$level "$programs/once.cc" ./libonce.so -Wl,-rpath,. -pthread -o program$level || fail compile
      readelf -rW program$level | grep -q 'TPOFF64.*once_call' || fail "it should reach the library's variables at fixed distances"
    done
    for ranks in 1 3 7; do expect 0 "rank $((ranks - 1)) has called once" run $ranks ./program$((ranks == 3 ? 0 : 2)); done
  done
  expect 0 "rank 23 has called once" run --turns 2 24 ./program2
  [ "$(grep -c 'has called once' output)" = 48 ] || { cat output; fail "48 ranks should have run"; }
  [ "$compiler" = g++ ] || exit 0
  g++ -std=c++20 -O2 -fopenmp "$programs/once.cc" ./libonce.so -Wl,-rpath,. -Wl,--no-as-needed -lgfortran -o program || fail compile
  expect 0 "rank 4 has called once" run 5 ./program
  ;;
fixed_library)  # thread-local variables of the user's library at fixed distances
  [ "$(uname -m)" = x86_64 ] || { echo "skipped: they lie elsewhere on $(uname -m)"; exit 77; }
  source=$programs/fixed_library.c
  gcc -g -fPIC -shared -DPLUGIN "$source" -o plugin.so || fail compile
  need clang-19
  for compiler in "gcc -O2 -ftls-model=initial-exec" "gcc -O0 -ftls-model=initial-exec" "gcc -O2" "gcc -O0" "gcc -O2 -ftls-model=local-dynamic" \
    "gcc -O2 -mtls-dialect=gnu2" "clang-19 -O2 -fuse-ld=lld -Wl,-Bsymbolic" "clang-19 -O0 -fuse-ld=lld -Wl,-Bsymbolic" "gcc -O2 -Wl,-Bsymbolic,-z,norelro"; do
    $compiler -g -fPIC -shared -DLIBRARY "$source" -o libfixed.so || fail compile
    gcc -g -O1 "$source" ./libfixed.so -Wl,-rpath,. -pthread -o program || fail compile
    readelf -rW program | grep -q TPOFF64 || fail "it should reach the library's variables at fixed distances"
    expect 0 "rank 4 has borrowed" run --turns 2 5 ./program
    [ "$(grep -c 'has borrowed' output)" = 10 ] || { cat output; fail "10 ranks should have run"; }
  done
  gcc -g -fPIC -shared -mtls-dialect=gnu2 -DPLUGIN "$source" -o plugin.so && expect 0 "rank 4 has borrowed" run 5 ./program
  gcc -g -fPIC -shared -ftls-model=initial-exec -DPLUGIN "$source" -o plugin.so && expect 0 "rank 4 has borrowed" run 5 ./program
  # A library that reaches only its own so: more copies than the dynamic loader has room for.
  gcc -fPIC -shared -O2 -ftls-model=initial-exec -DLIBRARY -DMORE_BYTES=2000 "$source" -o libfixed.so || fail compile
  echo 'int next_plain(void); int main(void){return next_plain() - 1;}' > plain.c
  gcc plain.c ./libfixed.so -Wl,-rpath,. -o plain && expect 0 "" run 40 ./plain
  gcc -fPIC -shared -O2 -DLIBRARY -DMORE_BYTES=3950 "$source" -o libfixed.so || fail compile
  expect 1 "of '$(pwd -P)/libfixed.so' at a fixed offset (with all that are used so 41" run 1 ./program
  grep -q "program' uses thread_local '.*so 41[0-9]* bytes; ranks have room for 4096); compile with -fPIC" output ||
    { cat output; fail "it should say how much is too much"; }
  gcc -fPIC -shared -O2 -DLIBRARY -DMORE_BYTES=5000 "$source" -o libfixed.so || fail compile
  expect 1 "at a fixed offset (5" run 1 ./program
  ;;
replaced)  # the program file is overwritten in place, then deleted, while ranks run
  gcc -g "$programs/unchanged.c" -o program || fail compile
  head -c 100000 /dev/zero > zeros
  expect 0 "" run --replace zeros 4 ./program
  [ ! -e program ] || fail "the program file should be gone"
  ;;
plugins)  # style
  flags="-fPIE -pie -rdynamic"
  [ "$1" = image ] && flags=$as_image
  library="gcc -g -fPIC -shared $programs/plugins_library.c"
  # Two libraries that need each other: the first is linked against an empty one of the second's name.
  gcc -shared -fPIC -x c /dev/null -Wl,-soname,libpong.so -o libpong.so
  $library -DPING -o libping.so -Wl,--no-as-needed ./libpong.so -Wl,-soname,libping.so -Wl,-rpath,. || fail compile
  # It needs a library of the system that neither the program nor the process does.
  $library -DPONG -o libpong.so ./libping.so -Wl,--no-as-needed -l:libresolv.so.2 -Wl,-soname,libpong.so -Wl,-rpath,. || fail compile
  # It defines nothing, and refers to what the system may have.
  gcc -shared -fPIC -x c /dev/null -o empty.so || fail compile
  $library -DPROVIDER -o provider.so && $library -DPLUGIN -o plugin.so || fail compile
  gcc -g $flags "$programs/plugins.c" ./libping.so ./libpong.so -Wl,-rpath,. -o program || fail compile
  expect 0 "rank 4 has its plugins" run 5 ./program
  ;;
extended)  # libraries in a folder of the system that use the program, or keep what it tells them
  need unshare
  folder=/usr/lib/locale alone="unshare --mount"
  [ "$(id -u)" = 0 ] || alone="unshare --map-root-user --mount"
  [ -d $folder ] && $alone true 2>/dev/null || { echo "skipped: no name space for mounts here"; exit 77; }
  mkdir system
  library="gcc -g -fPIC -shared $programs/extended.c -Wl,-rpath,$folder"
  system_library() { # NAME further words
    local name=$1
    shift
    $library "$@" -Wl,-soname,"lib$name.so.1" -o "system/lib$name.so.1" || fail "compile lib$name"
  }
  system_library extension -DEXTENSION
  system_library above -DABOVE system/libextension.so.1
  system_library protobuf -DSTATE
  system_library tells -DTELLS system/libprotobuf.so.1
  system_library teller -DTELLS system/libprotobuf.so.1
  system_library child -DTELLS system/libprotobuf.so.1
  # Two that need each other: the first is linked against an empty one of the second's name.
  gcc -shared -fPIC -x c /dev/null -Wl,-soname,libcircleb.so.1 -o system/libcircleb.so.1 || fail compile
  system_library circlea -DCIRCLE_A -Wl,--no-as-needed system/libcircleb.so.1 system/libprotobuf.so.1
  system_library circleb -DCIRCLE_B -Wl,--no-as-needed system/libcirclea.so.1
  system_library calls -DCALLS -Wl,-z,lazy
  system_library half -DHALF -Wl,-z,lazy
  system_library slow -DSLOW
  system_library linked -DLINKED
  system_library seeds -DSEEDS
  system_library draws -DDRAWS system/libseeds.so.1
  $library -DNEEDS_SLOW system/libslow.so.1 -o needs_slow.so || fail compile
  $library -DNEEDS_HALF -Wl,--allow-shlib-undefined system/libhalf.so.1 -o needs_half.so || fail compile
  $library -DPLUGIN system/libabove.so.1 -o plugin.so || fail compile
  fortran=
  if command -v gfortran >/dev/null; then
    gfortran -g -fPIC -shared "$programs/extended.f90" -Wl,-soname,libkept.so.1 -o system/libkept.so.1 || fail compile
    fortran="-DFORTRAN system/libkept.so.1 -Wl,--allow-shlib-undefined"
  fi
  gcc -g -fPIE -pie -rdynamic "$programs/extended.c" system/libdraws.so.1 system/libseeds.so.1 system/libtells.so.1 system/libprotobuf.so.1 \
    system/liblinked.so.1 $fortran -Wl,-rpath,$folder -o program || fail compile
  in_system() { $alone sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$place/system" $folder "$@"; }
  expect 0 "rank 0 is extended" in_system ./program
  expect 0 "rank 3 is extended" in_system timeout 60 "$runner" 4 ./program fork
  [ "$(sed -n 's/.* its library at //p' output | sort -u | wc -l)" = 1 ] ||
    { cat output; fail "a library that needs nobody is not shared"; }
  ;;
names)  # libraries in a folder of the user, with names like those of the system
  for name in libutil.so libutil.so.1 libm.so libmpiwrap.so libmpi.so libopen-foo.so libuclib.so libcudahelp.so libcudart.so.12 \
              libompute.so libomp.so libgomp.so.1 libgcc_s.so libtaihu.so libhwloc.so.15 libasan.so; do
    mkdir "of_$name" && gcc -g -fPIC -shared -DLIBRARY -Wl,-soname,"$name" "$programs/counts.c" -o "of_$name/$name" &&
      gcc -g "$programs/counts.c" "of_$name/$name" -Wl,-rpath,"$place/of_$name" -o program || fail "compile $name"
    expect 0 "" run 3 ./program
  done
  ;;
folders)  # where libraries are found: what the dynamic loader itself does with the same program is right
  value() {
    mkdir -p "$1" && for name in needed opened; do
      gcc -fPIC -shared -DVALUE="$2" -Wl,-soname,lib$name.so "$programs/folders.c" -o "$1/lib$name.so" || fail compile
    done
  }
  value of_program 1; value of_program/glibc-hwcaps/x86-64-v2 2; value of_environment 3; value . 4
  value of_library/lib 5; value of_library/lib64 6; value "of_library/lib/$(uname -m)-linux-gnu" 7; value other_processor 8
  for file in other_processor/*; do printf '\003' | dd of="$file" bs=1 seek=18 conv=notrunc status=none; done
  rpath="-Wl,--disable-new-dtags,-rpath," runpath="-Wl,--enable-new-dtags,-rpath,"
  for of_library in "" "$rpath\$ORIGIN/of_library/\$LIB" "$runpath\${ORIGIN}/of_library/\${LIB}"; do
    gcc -fPIC -shared -DMIDDLE "$programs/folders.c" of_program/libneeded.so $of_library -o libmiddle.so || fail compile
    for of_program in "" "$rpath\$ORIGIN/other_processor:\$ORIGIN/of_program" "$runpath\$ORIGIN/of_program" "$rpath:"; do
      gcc "$programs/folders.c" ./libmiddle.so $of_program -Wl,--allow-shlib-undefined -o program || fail compile
      for of_environment in "" of_environment; do
        status=0
        LD_LIBRARY_PATH=$of_environment ./program > right 2>/dev/null || status=1
        LD_LIBRARY_PATH=$of_environment run 1 ./program > output 2>&1 || status=$((status + 2))
        case $status in
        0) cmp -s right output ;;
        3) true ;;
        *) false ;;
        esac || { cat right output; fail "program $of_program, library $of_library, LD_LIBRARY_PATH $of_environment"; }
        cat right >> all_right
      done
    done
  done
  [ "$(sort -u all_right | wc -l)" -ge 4 ] || { cat all_right; fail "too few different outcomes"; }
  ;;
neighbours)
  library="gcc -g -fPIC -shared $programs/neighbours.c"
  $library -DSECOND -o libsecond.so && $library -DFIRST -o libfirst.so && $library -DLINKED -o liblinked.so || fail compile
  $library -DPLUGIN ./libfirst.so ./libsecond.so -o plugin.so || fail compile
  gcc -g "$programs/neighbours.c" ./liblinked.so -Wl,-rpath,. -lm -o program || fail compile
  expect 0 "" ./program
  expect 0 "rank 2 knows its neighbours" run 3 ./program
  # Two libraries that need each other, reached by opening one of them.
  $library -DSECOND ./libfirst.so -o libsecond.so && $library -DFIRST ./libsecond.so -o libfirst.so || fail compile
  expect 0 "rank 2 knows its neighbours" run 3 ./program
  ;;
resolvers)  # functions chosen at load time (ifunc), in the program and in a library
  cat > chosen.c <<'EOF'
#include "check.h"
static int one(void) { return 1; }
static int two(void) { return 2; }
static const int which = 2;
static int (*choose(void))(void) { return which == 2 ? two : one; }
int NAME(void) __attribute__((ifunc("choose")));
#ifdef MAIN
int chosen_there(void);
int (*pointer)(void) = chosen_there;
int main(void) {
  CHECK(NAME() == 2 && chosen_there() == 2 && pointer() == 2);
  return 0;
}
#endif
EOF
  gcc -g -I"$programs" -fPIC -shared -DNAME=chosen_there chosen.c -o libchosen.so || fail compile
  for flags in "$as_image" "-fPIE -pie"; do
    gcc -g -I"$programs" $flags -DMAIN -DNAME=chosen_here chosen.c ./libchosen.so -Wl,-rpath,. -o program || fail compile
    expect 0 "" run 3 ./program
  done
  ;;
memory)  # what one more rank of a small program costs
  echo 'int main(void){return 0;}' > small.c && gcc small.c -o small || fail compile
  cat > usage.sh <<'EOF'
awk '/^Pss:/ {print $2 > "pss"}' "/proc/$1/smaps_rollup"
EOF
  expect 0 "" run --attach "bash ./usage.sh" 1 ./small && one=$(cat pss)
  expect 0 "" run --attach "bash ./usage.sh" 129 ./small && many=$(cat pss)
  each=$(((many - one) / 128))
  echo "$each KiB for each rank"
  [ "$each" -le 100 ] || fail "$each KiB for each rank of a small program"
  ;;
library_memory)  # a rank has of a library what a process has: relocated pages of its own, the others are those of the file
  cat > library.s <<'EOF'
  .section .rodata
  .globl constants
  .type constants, %object
constants:
.Lconstants: .fill 16 << 20, 1, 7
  .section .data.rel.ro, "aw"
  .globl relocated
  .type relocated, %object
relocated: .rept 65536
  .quad .Lconstants
  .endr
  .data
  .globl unchanged
  .type unchanged, %object
unchanged: .fill 4 << 20, 1, 7
  .section .note.GNU-stack, ""
EOF
  echo 'extern const char constants[]; extern const char *const relocated[];
int main(void) { return constants[5] == 7 && relocated[65535] == constants ? 0 : 1; }' > user.c
  gcc -shared library.s -o liblarge.so && gcc -fPIC user.c ./liblarge.so -Wl,-rpath,. -o user || fail compile
  cat > usage.sh <<'EOF'
awk '/^Pss:/ {print $2 > "pss"}' "/proc/$1/smaps_rollup"
awk '/^[0-9a-f]+-/ {of_library = /liblarge/; in_memory = /memfd/} of_library && /^Rss:/ {rss = $2}
     of_library && /^Anonymous:/ {own += $2; if (in_memory) other += rss - $2} END {print own + 0, other + 0 > "library"}' "/proc/$1/smaps"
EOF
  expect 0 "" run --attach "bash ./usage.sh" 1 ./user && one=$(cat pss)
  expect 0 "" run --attach "bash ./usage.sh" 5 ./user && many=$(cat pss) && read -r own other < library
  each=$(((many - one) / 4))
  echo "$one KiB for one rank, $each KiB for each further one; of the library, $own KiB are the ranks', $other KiB a memory object's"
  [ "$one" -le 12000 ] || fail "$one KiB for a rank that touches little of a library of 20 MiB"
  [ "$each" -ge 512 ] && [ "$each" -le 800 ] || fail "$each KiB for each rank of a library with 512 KiB of relocated data"
  [ "$own" -ge 2560 ] && [ "$own" -le 2800 ] || fail "$own KiB of the library are the ranks'"
  [ "$other" -le 64 ] || fail "$other KiB of the library are mapped from memory objects"
  # In a copy of a rank that has ended, what that one has not written is still the file's.
  expect 0 "" run --turns 2 --attach "bash ./usage.sh" 5 ./user && read -r again other < library
  [ "$again" -le $((own + 100)) ] || fail "$again KiB of the library are the second ranks', $own KiB the first ones'"
  ;;
tagged)
  echo '#include <stdio.h>
int main(void){ for (int i = 0; i < 100; ++i) { printf("begin "); fflush(stdout); printf("end\n"); } printf("tail"); return 0; }' > tag.c
  gcc tag.c -o tag && expect 0 "2: begin end" run --tag 3 ./tag
  [ "$(sort output | uniq -c | awk '{print $1, $2, $3, $4}' | tr '\n' ';')" = "100 0: begin end;1 0: tail ;100 1: begin end;1 1: tail ;100 2: begin end;1 2: tail ;" ] ||
    { sort output | uniq -c; fail "lines are not whole"; }
  gcc -g "$programs/redirect.c" -o redirect || fail compile
  expect 0 "0: tagged before" run --tag 1 ./redirect
  [ "$(cat duplicated)" = "in the first file" ] || { cat duplicated; fail "not what was written after dup2"; }
  [ "$(cat opened)" = "in the second file" ] || { cat opened; fail "not what was written after open"; }
  [ "$(cat reopened)" = "in the file
child" ] || { cat reopened; fail "not what was written after freopen"; }
  ;;
debugger)
  # Only main is exported: the debugger takes an exported variable of one copy for that of all.
  need gdb
  echo '{ global: main; local: *; };' > exports.map
  gcc -g -O0 $as_image -Wl,--version-script=exports.map "$programs/unchanged.c" -o program || fail compile
  cat > look.gdb <<'EOF'
set pagination off
set breakpoint pending on
break looked_at
continue
info breakpoints
print counter - 40 == value
print big_zero[1]
EOF
  cat > look.sh <<'EOF'
gdb -batch -x look.gdb -p "$1" > gdb.out 2>&1 &
for i in $(seq 100); do grep -q 'Breakpoint 1 at' gdb.out 2>/dev/null && break; sleep 0.1; done
sleep 0.5
EOF
  look_at_output() {
    [ "$(grep -Ec '^1\.[0-9]+ .* in looked_at at' "$1")" = 3 ] ||
      { cat "$1"; fail "the breakpoint should be in three copies"; }
    grep -Fxq '$1 = 1' "$1" || { cat "$1"; fail "not the variable of the rank that stopped"; }
    grep -q "file format" "$1" && { cat "$1"; fail "the debugger complains"; }
  }
  expect 0 "" run --attach "bash ./look.sh" 3 ./program
  sleep 0.5
  look_at_output gdb.out
  sed -e 's/^continue/run/' look.gdb > start.gdb
  expect 0 "" timeout 60 gdb -batch -x start.gdb --args "$runner" 3 ./program
  look_at_output output
  ;;
*) fail "unknown case $case" ;;
esac
exit 0
