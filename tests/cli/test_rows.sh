#!/bin/sh
# Rows on the command line: optimised files, plans by rows, streamed inputs and outputs.
build=${1:-build}
. tests/lib/count.sh
arenite=$build/arenite
kws=examples/kws/kws.tflite
mnist=examples/mnist/mnist.tflite
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT

. tests/lib/exits.sh
peak() { "$arenite" plan --json "$1" | sed -n 's/^\t"dynamic_peak_bytes":\t\([0-9]*\),*$/\1/p'; }
arena() { "$arenite" plan --json "$1" | sed -n 's/^\t"arena_bytes":\t\([0-9]*\),*$/\1/p'; }
same_outputs() {  # same_outputs MODEL OPTIMISED
  "$arenite" run --invocations 3 --output "0=$work/1.bin" "$1" >"$work/1.txt" &&
    "$arenite" run --invocations 3 --output "0=$work/2.bin" "$2" >"$work/2.txt" &&
    cmp "$work/1.bin" "$work/2.bin" && cmp "$work/1.txt" "$work/2.txt"
}
each_needs_less() {
  whole=$(peak "$1") rows=$(peak "$work/rows.tflite") streamed=$(peak "$work/in.tflite")
  echo "whole tensors $whole, rows $rows, input streamed $streamed bytes"
  [ "$rows" -lt "$whole" ] && [ "$streamed" -lt "$rows" ]
}
measured_is_planned() { "$arenite" profile "$1" | grep -Eq '^high water: measured ([0-9]+), planned \1 bytes$'; }
breakdown_adds_up() {
  "$arenite" plan --json "$1" >"$work/plan.json" || return 1
  sum=$(sed -n '/"breakdown"/,/}/p' "$work/plan.json" | grep -o '[0-9][0-9]*' | awk '{ s += $1 } END { print s }')
  echo "breakdown $sum, arena $(arena "$1")"
  [ "$sum" -eq "$(arena "$1")" ]
}
fits_100_columns() { "$arenite" plan "$1" >"$work/plan.txt" && ! grep -E '.{101}' "$work/plan.txt"; }
small_arena() {  # runs in an arena that is too small for whole tensors
  exits 0 "$arenite" run --arena "$(arena "$2")" "$2" && exits 5 "$arenite" run --arena "$(arena "$2")" "$1"
}
make_files() {
  "$arenite" optimize --budget 1 -o "$work/rows.tflite" "$1" &&
    "$arenite" optimize --budget 1 --stream-input 0 -o "$work/in.tflite" "$1" &&
    "$arenite" optimize --budget 1 --stream-input 0 --stream-output 0 -o "$work/both.tflite" "$1"
}
planned_in_memory() {  # --planner rows and the streams mean what `optimize` means
  "$arenite" run "$1" >"$work/1.txt" && "$arenite" run --budget 1 "$2" "$3" "$1" >"$work/2.txt" &&
    cmp "$work/1.txt" "$work/2.txt" && exits 0 "$arenite" profile --budget 1 "$2" "$3" "$1"
}

ladder_falls() {  # each rung of the ladder at or below the one before, five of them, in 100 columns
  "$arenite" plan --budget 1 --ladder "$1" >"$work/plan.txt" && ! grep -E '.{101}' "$work/plan.txt" &&
    sed -n '/^Ladder/,$p' "$work/plan.txt" | grep -E '^ +[0-9]+ ' |
    awk '{ if (NR > 1 && $1 > before) bad = 1; before = $1 } END { exit bad || NR != 5 }'
}

for model in "$kws" "$mnist"; do
  check "optimised, for streams too: $model" make_files "$model"
  for form in rows in both; do
    check "same bytes, $form: $model" same_outputs "$model" "$work/$form.tflite"
    check "measured is planned, $form: $model" measured_is_planned "$work/$form.tflite"
    check "breakdown adds up, $form: $model" breakdown_adds_up "$work/$form.tflite"
    check "plan fits 100 columns, $form: $model" fits_100_columns "$work/$form.tflite"
  done
  check "rows need less, streamed ones less still: $model" each_needs_less "$model"
  check "runs where whole tensors do not fit: $model" small_arena "$model" "$work/rows.tflite"
done
check "ladder: $kws" ladder_falls "$kws"
check "--planner rows" planned_in_memory "$kws" --planner rows
check "--stream-input" planned_in_memory "$kws" --stream-input 0
check "--stream-output" planned_in_memory "$kws" --stream-output 0
check "no such input to stream: usage" exits 2 "$arenite" run --stream-input 7 "$kws"
check "no number: usage" exits 2 "$arenite" plan --stream-input x "$kws"
check "bad budget: usage" exits 2 "$arenite" plan --planner rows --budget 0 "$kws"

if [ -d ../shared/models ]; then
  sum "optimised files over all models, each dead row overwritten" \
    "$build/conformance" --optimised ../shared/models
else
  skip "optimised files over all models" "../shared is not here"
fi
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
