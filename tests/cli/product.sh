#!/bin/sh
# The library as others use it: symbols, sections, plain cc, C++, make install, pkg-config, CMake.
build=${1:-build}
. tests/lib/count.sh
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT
root=$(pwd)

plain_cc() {
  mkdir -p "$work/plain" && cd "$work/plain" && find "$root/src" -name '*.c' | while read -r f; do
    cc -c -fno-pie -I"$root/include" "$f" -o "$(echo "$f" | sed "s|$root/||; s|/|_|g; s|\.c$|.o|")" || exit 1
  done
  cd "$root" || return 1
}
no_writable_data() {
  size "$work"/plain/*.o | awk 'NR > 1 { data += $2; bss += $3 } END { print "data", data, "bss", bss;
    exit !(NR > 20 && data == 0 && bss == 0) }'
}
undefined_symbols() { nm -u "$work"/plain/*.o | awk '$1 == "U" { print $2 }' | sort -u; }
no_malloc() {
  undefined_symbols | grep -E '^(malloc|calloc|realloc|free|printf|puts|abort|exit|__assert_fail)$' &&
    return 1
  undefined_symbols | grep -q .
}
only_allowed_symbols() {
  undefined_symbols | grep -vE '^(arn_|mem(cpy|set|move|cmp)$|str(len|cmp)$|_GLOBAL_OFFSET_TABLE_$|__stack_chk_fail$|(exp|log|sqrt|sin|cos|tan|tanh|pow|floor|ceil|round|rint|nearbyint|trunc|fabs|fmod|ldexp|frexp|atan2|erf|expm1|log1p|log2|hypot|fmin|fmax|copysign|lround|roundeven)f?$)' &&
    return 1
  return 0
}
names_start_with_arn() {
  nm -g --defined-only "$work"/plain/*.o | awk 'NF == 3 { print $3; n++ } END { exit n < 100 }' \
    >"$work/names" || return 1
  ! grep -v '^arn_' "$work/names"
}
headers_in_cxx() {
  for h in include/arenite/*.h; do
    printf '#include "%s"\nint main() { return 0; }\n' "arenite/$(basename "$h")" >"$work/h.cc"
    g++ -std=c++11 -Wall -Wextra -Werror -Iinclude -c "$work/h.cc" -o "$work/h.o" || return 1
    printf '#include "%s"\nextern int used;\n' "arenite/$(basename "$h")" >"$work/h.c"
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -c "$work/h.c" -o "$work/h.o" || return 1
  done
}
cat >"$work/app.cc" <<'END'
#include <arenite/arenite.h>
#include <cstdio>
int main() {
  arn_model model;
  arn_error error;
  const bool refused = arn_model_open(&model, "no model at all.", 16, &error) == ARN_ERR_MODEL;
  std::printf("%s\n", arn_what_text(error.what));
  return refused && arn_ops_all.count > 100 ? 0 : 1;
}
END
install_and_pkg_config() {
  make -s BUILD="$build" PREFIX="$work/prefix" install &&
    PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig" sh -c "g++ '$work/app.cc' -o '$work/app' \
      \$(pkg-config --cflags --libs arenite)" && "$work/app"
}
with_cmake() {  # with_cmake NAME LINE-THAT-BRINGS-ARENITE
  mkdir -p "$work/$1" && cp "$work/app.cc" "$work/$1" && cat >"$work/$1/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(app LANGUAGES C CXX)
$2
add_executable(app app.cc)
target_link_libraries(app PRIVATE arenite::arenite)
END
  cmake -S "$work/$1" -B "$work/$1/b" -DCMAKE_PREFIX_PATH="$work/cmake-prefix" >/dev/null &&
    cmake --build "$work/$1/b" -j 2 >/dev/null && "$work/$1/b/app"
}
find_package() {
  cmake -S "$root" -B "$work/lib" -DCMAKE_INSTALL_PREFIX="$work/cmake-prefix" >/dev/null &&
    cmake --build "$work/lib" -j 2 >/dev/null && cmake --install "$work/lib" >/dev/null &&
    with_cmake package "find_package(arenite REQUIRED)"
}

check "plain cc -c of every source" plain_cc
check "no writable data" no_writable_data
check "no heap, no stdio, no abort" no_malloc
check "only memory functions and math are needed" only_allowed_symbols
check "every external symbol starts with arn_" names_start_with_arn
check "headers alone, in C and in C++" headers_in_cxx
check "make install and pkg-config" install_and_pkg_config
check "CMake add_subdirectory" with_cmake sub "add_subdirectory($root arenite)"
check "CMake find_package" find_package
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
