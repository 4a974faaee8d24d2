#!/bin/sh
# All tests. ./test.sh takes under 20 minutes on 2 cores; ./test.sh --long adds long fuzzing, all models
# under all planners with the sanitizers, and every size ladder.
cd "$(dirname "$0")" || exit 1
LONG=0
[ "${1:-}" = --long ] && LONG=1

. tools/install.sh
arn_install gcc g++ make clang gcc-multilib libc6-dev libcmocka-dev libcjson-dev pkg-config cmake \
  binutils libclang-rt-14-dev || arn_install gcc g++ make clang gcc-multilib libc6-dev libcmocka-dev \
  libcjson-dev pkg-config cmake binutils || exit 1
. tests/lib/count.sh

JOBS=$(nproc 2>/dev/null || echo 2)
MODELS=../shared/models
PACKS=../shared/opcases/public
[ -d "$MODELS" ] || MODELS=
[ -d "$PACKS" ] || PACKS=
[ -n "$MODELS$PACKS" ] || skip "conformance cases" "../shared is not here"

build() { make -s -j"$JOBS" "$@"; }

echo "== gcc, 64 bit"
check "build with gcc, warnings as errors" build BUILD=build all units mains benches
sum "unit tests" tests/run_units.sh build
for path in $PACKS $MODELS; do
  sum "conformance $path" build/conformance "$path"
  sum "scattered rows $path" build/conformance --rows "$path"
done
if [ -n "$MODELS" ]; then
  sum "conformance $MODELS/refused" build/conformance "$MODELS/refused"
  sum "size ladder" build/conformance --ladder 16384 "$MODELS"
fi
for test in tests/cli/test_*.sh; do
  sum "$test" sh "$test" build
done

echo "== other compilers, sizes and levels"
. tests/lib/builds.sh

echo "== the library as a product"
sum "tests/cli/product.sh" sh tests/cli/product.sh build

[ "$LONG" -eq 0 ] || . tests/lib/long.sh
echo
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ] && [ "$PASSED" -gt 0 ]
