# Sourced by test.sh: the same tests from other compilers, widths and levels.
check "build with clang" build CC=clang BUILD=build/clang all units
sum "unit tests (clang)" tests/run_units.sh build/clang
for path in $PACKS $MODELS; do
  sum "conformance $path (clang)" build/clang/conformance --quick "$path"
done

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
