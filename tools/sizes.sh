#!/bin/sh
# Writes bench/size.csv: what each operator adds to an application that lists no other. What several
# operators share (a kernel, the C library's math) is counted for each of them: sums mean nothing.
# Records of one type (arenite/typed_ops.def) have rows of their own; "(all)" is without them.
# "(none)" is the whole application without operators, "(all)" what all of them add.
# Usage: tools/sizes.sh [BUILD]
cd "$(dirname "$0")/.." || exit 1
. tools/size_image.sh
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
all=$(sed -n 's/^ARN_OP(\(.*\))/\1/p' include/arenite/ops.def)
typed=$(sed -n 's/^ARN_OP(\([^)]*\)).*/\1/p' include/arenite/typed_ops.def)

row() {  # row TARGET NAME LESS OP...
  target=$1 name=$2 less=$3
  shift 3
  size_image "$target" "$build" "$work/image" "$@" || exit 1
  echo "$name,$flags,$(($(size_text "$target" "$work/image") - less))"
}

echo "op,flags,text_bytes" >"$work/csv"
for target in $(size_targets); do
  size_library "$target" "$build" >&2 || exit 1
  size_image "$target" "$build" "$work/image" || exit 1
  none=$(size_text "$target" "$work/image")
  row "$target" "(none)" 0
  # shellcheck disable=SC2086
  row "$target" "(all)" "$none" $all
  for op in $all $typed; do row "$target" "$op" "$none" "$op"; done
done >>"$work/csv"
cp "$work/csv" bench/size.csv
