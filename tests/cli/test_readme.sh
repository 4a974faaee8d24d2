#!/bin/sh
# The README's numbers: its table of arena bytes, and what it says the demo prints.
build=${1:-build}
. tests/lib/count.sh
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT
models=../shared/models

arena() { "$build/arenite" plan --json "$1" | sed -n 's/^\t"arena_bytes":\t\([0-9]*\),*$/\1/p' | head -n 1; }
row_is_true() {  # row_is_true MODEL WHOLE ROWS
  "$build/arenite" optimize -o "$work/rows.tflite" "$models/$1.tflite" >/dev/null || return 1
  whole=$(arena "$models/$1.tflite")
  rows=$(arena "$work/rows.tflite")
  echo "README says $2 and $3; measured $whole and $rows"
  [ "$whole" = "$2" ] && [ "$rows" = "$3" ]
}
# "| model | TFLite Micro | whole | rows |", without commas in numbers
rows=$(sed -n 's/^| \([a-z][^ |]*\) | [0-9,]* | \([0-9,]*\) | \([0-9,]*\) |$/\1 \2 \3/p' README.md | tr -d ,)
if [ -d "$models" ]; then
  check "the README has a table" [ -n "$rows" ]
  echo "$rows" >"$work/rows.txt"
  while read -r model whole by_rows; do
    check "README: $model" row_is_true "$model" "$whole" "$by_rows"
  done <"$work/rows.txt"
else
  skip "the README's table" "$models is not here"
fi
sum "README.md, what it says is printed" awk -v build="$build" -v given=all -f tests/lib/console.awk README.md
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
