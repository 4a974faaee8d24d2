# Sourced by test.sh: the same tests from other compilers, widths and levels.
SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

check "build with clang" build CC=clang BUILD=build/clang all units
sum "unit tests (clang)" tests/run_units.sh build/clang
for path in $PACKS $MODELS; do
  sum "conformance $path (clang)" build/clang/conformance --quick "$path"
done

check "build with the sanitizers" build CC=clang OPT=-O1 LEVELS= CFLAGS="$SANITIZE" \
  BUILD=build/sanitize all units build/sanitize/mutate fuzzers
sum "unit tests (sanitizers)" tests/run_units.sh build/sanitize
for path in $PACKS $MODELS; do
  sum "conformance $path (sanitizers)" build/sanitize/conformance --quick "$path"
done
for target in model csv npy plan tables; do
  sum "fuzzing corpus: $target (sanitizers)" build/sanitize/fuzz/$target tests/fuzz/corpus/$target/*
done
sum "hostile models: examples (sanitizers)" build/sanitize/mutate --rounds 200 examples/kws/kws.tflite
[ -z "$PACKS" ] ||
  sum "hostile models: packs (sanitizers)" build/sanitize/mutate --rounds 1 "$PACKS"/*.pack

check "build without optimisation" build OPT=-O0 LEVELS= BUILD=build/o0 build/o0/conformance
[ -z "$PACKS" ] || sum "conformance $PACKS (-O0)" build/o0/conformance --quick "$PACKS"

check "build for 32 bit" build CFLAGS="-m32 -msse2 -mfpmath=sse" LEVELS= BUILD=build/m32 \
  build/m32/conformance
for path in $PACKS $MODELS; do
  sum "conformance $path (32 bit)" build/m32/conformance --quick "$path"
done
plans_are_equal() {
  build/conformance --plans "$1" >build/plans64.txt && build/m32/conformance --plans "$1" >build/plans32.txt &&
    [ -s build/plans64.txt ] && cmp build/plans64.txt build/plans32.txt
}
for path in $PACKS $MODELS; do
  check "plans of $path equal in 32 and 64 bit" plans_are_equal "$path"
done
