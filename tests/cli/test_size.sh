#!/bin/sh
# An application that lists five operators links these five and only their kernels, and bench/size.csv
# has every operator. Usage: test_size.sh BUILD
build=${1:-build}
. tests/lib/count.sh
. tools/size_image.sh
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT
five="average_pool_2d conv_2d depthwise_conv_2d fully_connected softmax"
needed="conv depthwise dot reduce softmax"   # the kernels of these five: the part of a file's name
shared="products requant settle sparse widen"  # before the first _

links() {  # links TARGET: makes the image, and lists which symbol came from which object
  # shellcheck disable=SC2086
  size_library "$1" "$build" && size_image "$1" "$build" "$work/$1" $five || return 1
  size_symbols "$1" "$work/$1" | awk '{ print $1 }' >"$work/$1.names"
  find "$build/size-$1/src" -name '*.o' >"$work/$1.objects"
  # shellcheck disable=SC2046
  size_symbols "$1" $(cat "$work/$1.objects") | LC_ALL=C join "$work/$1.names" - >"$work/$1.origins"
  [ -s "$work/$1.origins" ]
}
has_five_operators() {
  for op in $five; do echo "arn_op_$op"; done | diff - "$work/records"
}
only_five_records() {
  sed -n 's/^ARN_OP(\(.*\))/arn_op_\1/p' include/arenite/ops.def | LC_ALL=C sort >"$work/all" &&
    LC_ALL=C comm -12 "$work/all" "$work/$1.names" >"$work/records" && has_five_operators
}
only_their_kernels() {
  awk '{ print $2 }' "$work/$1.origins" | sed -n 's|.*/src/kernels/.*/||p; s|.*/src/kernels/||p' |
    sed 's/[_.].*//' | LC_ALL=C sort -u >"$work/families"
  echo "$needed $shared" | tr ' ' '\n' >"$work/allowed"
  grep -vxF -f "$work/allowed" "$work/families" && return 1
  for family in $needed; do grep -qx "$family" "$work/families" || return 1; done
}
is_smaller_than_all() {
  # shellcheck disable=SC2046
  size_image "$1" "$build" "$work/$1-all" $(sed 's/^arn_op_//' "$work/all") || return 1
  with_five=$(size_text "$1" "$work/$1")
  with_all=$(size_text "$1" "$work/$1-all")
  echo "$1: $with_five bytes with five operators, $with_all with all"
  [ "$with_five" -gt 10000 ] && [ $((2 * with_five)) -lt "$with_all" ]
}
csv_has_every_operator() {
  { sed -n 's/^ARN_OP(\([^)]*\)).*/\1/p' include/arenite/ops.def include/arenite/typed_ops.def && printf '(all)\n(none)\n'; } |
    LC_ALL=C sort >"$work/wanted"
  for target in m32 cortex-m4; do
    size_set "$target"
    awk -F, -v flags="$flags" '$2 == flags && $3 > 0 { print $1 }' bench/size.csv | LC_ALL=C sort |
      diff "$work/wanted" - || return 1
  done
}

targets=$(size_targets)
for target in m32 cortex-m4; do
  case " $(echo "$targets" | tr '\n' ' ')" in
    *" $target "*) ;;
    *) skip "five operators, $target" "no compiler for it" && continue ;;
  esac
  check "five operators link, $target" links "$target"
  check "no other operator is linked, $target" only_five_records "$target"
  check "no other kernels are linked, $target" only_their_kernels "$target"
  check "less than half of all operators, $target" is_smaller_than_all "$target"
done
check "bench/size.csv has every operator" csv_has_every_operator
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
