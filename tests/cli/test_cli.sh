#!/bin/sh
# The command line: exit codes, JSON that adds up, files in and out, the KWS case of the course.
build=${1:-build}
. tests/lib/count.sh
arenite=$build/arenite
kws=examples/kws/kws.tflite
mnist=examples/mnist/mnist.tflite
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT

. tests/lib/exits.sh
number() { "$arenite" plan --json "$@" | sed -n "s/^\t\"$field\":\t\([0-9]*\),*$/\1/p" | head -n 1; }
adds_up() {
  "$arenite" plan --json "$1" >"$work/plan.json" || return 1
  sum=$(sed -n '/"breakdown"/,/}/p' "$work/plan.json" | grep -o '[0-9][0-9]*' | awk '{ s += $1 } END { print s }')
  field=arena_bytes
  [ "$sum" -eq "$(number "$1")" ]
}
fits_100_columns() { "$arenite" plan "$1" >"$work/plan.txt" && ! grep -E '.{101}' "$work/plan.txt"; }
naive_fails_where_lifetime_fits() {
  field=arena_bytes
  lifetime=$(number --planner lifetime "$kws")
  naive=$(number --planner id "$kws")
  echo "lifetime order needs $lifetime bytes, tensor-id order $naive"
  [ "$lifetime" -lt "$naive" ] && [ "$lifetime" -lt 16384 ] &&
    "$arenite" plan --planner lifetime --arena "$lifetime" "$kws" >/dev/null &&
    exits 5 "$arenite" plan --planner id --arena "$lifetime" "$kws"
}
measured_is_planned() { "$arenite" profile "$1" | grep -Eq '^high water: measured ([0-9]+), planned \1 bytes$'; }
round_trip() {
  "$arenite" run --output "0=$work/a.npy" --output "0=$work/a.npy" "$kws" >/dev/null &&
    "$arenite" run --output "0=$work/a.bin" "$kws" >/dev/null &&
    tail -c 10 "$work/a.npy" | cmp - "$work/a.bin"
}
optimised_is_equal() {
  "$arenite" optimize -o "$work/o.tflite" "$1" >/dev/null &&
    "$arenite" run --invocations 3 "$1" >"$work/1" && "$arenite" run --invocations 3 "$work/o.tflite" >"$work/2" &&
    cmp "$work/1" "$work/2"
}
# Long work says how far it is on a terminal, and nothing in a pipe; what it prints is the same.
shows_progress() {  # shows_progress WORDS ARGUMENTS...
  words=$1
  shift
  script -qec "$arenite $*" "$work/terminal" </dev/null >/dev/null 2>&1
  tr '\r' '\n' <"$work/terminal" | grep -q -e "^$words" || { tr '\r' '\n' <"$work/terminal" | head; return 1; }
  # shellcheck disable=SC2086
  "$arenite" "$@" >"$work/piped" 2>"$work/words"
  [ -s "$work/piped" ] && [ ! -s "$work/words" ] && ! grep -q "$(printf '\r')" "$work/piped"
}
too_small_says_all() {  # file, operator, tensor, bytes, the next step
  exits 5 "$arenite" plan --arena 2K "$kws" && for words in "$kws: " '(CONV_2D)' '"input", INT8' 'need 3418, have 2048' \
    'give the arena 3418 bytes, or see what `arenite diagnose` finds'; do
    grep -qF "$words" "$work/err" || { echo "no $words"; cat "$work/err"; return 1; }
  done
}
folder_says_so() { exits 6 "$arenite" plan "$work" && grep -q "$work: can't be read: Is a directory" "$work/err"; }
wishes_that_fail_write_nothing() {
  exits 2 "$arenite" optimize --budget 1 --stream-input 9 -o "$work/no.tflite" "$kws" &&
    grep -q 'there is no input 9' "$work/err" && [ ! -e "$work/no.tflite" ]
}
no_such_part_says_so() { exits 2 "$arenite" fit --part nonsense "$kws" && [ ! -s "$work/out" ]; }
every_help_has_an_example() {
  "$arenite" --help >"$work/help"
  commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/help")
  [ "$(echo "$commands" | wc -l)" -ge 12 ] || return 1
  for command in $commands; do
    "$arenite" "$command" --help >"$work/help" 2>"$work/words" && [ ! -s "$work/words" ] &&
      grep -q "^Example: arenite $command " "$work/help" && grep -q "^Usage: arenite $command " "$work/help" &&
      ! grep -E '.{101}' "$work/help" || { echo "$command"; return 1; }
  done
}
garbage() { head -c 300 "$mnist" >"$work/cut.tflite" && exits 3 "$arenite" inspect "$work/cut.tflite"; }

check "help" exits 0 "$arenite" --help
check "an arena too small: every word" too_small_says_all
check "a folder for a file" folder_says_so
check "optimize: a wish that fails writes nothing" wishes_that_fail_write_nothing
check "fit: no such part" no_such_part_says_so
check "help: of every command, with an example, in 100 columns" every_help_has_an_example
if command -v script >/dev/null 2>&1; then
  check "progress: plan --planner rows" shows_progress 'planning rows  .* [0-9]* %' \
    plan --planner rows --budget 2 "$mnist"
  check "progress: optimize" shows_progress 'planning rows  .* [0-9]* %' \
    optimize --budget 2 -o "$work/o.tflite" "$mnist"
  check "progress: diagnose" shows_progress 'planning by rows' diagnose --budget 1 --arena 2K "$kws"
  check "progress: compare" shows_progress 'comparing outputs  .* [0-9]* %' \
    compare --invocations 20000 "$kws" "$kws"
  check "progress: trace" shows_progress 'running  .* [0-9]* %' trace --invocations 9000 "$kws"
  check "progress: profile" shows_progress 'running  .* [0-9]* %' profile --invocations 50000 "$kws"
else
  skip "progress on a terminal" "no script(1)"
fi
check "no command: usage" exits 2 "$arenite"
check "unknown command: usage" exits 2 "$arenite" nonsense
check "bad planner: usage" exits 2 "$arenite" plan --planner best "$kws"
check "bad alignment: usage" exits 2 "$arenite" plan --align 5 "$kws"
check "no such file: I/O" exits 6 "$arenite" plan "$work/none.tflite"
check "a cut file: bad model" garbage
check "arena too small" exits 5 "$arenite" plan --arena 100 "$kws"
check "no such input: usage" exits 2 "$arenite" run --input 7=x.bin "$kws"
check "unwritable output: I/O" exits 6 "$arenite" run --output "0=$work/no/such/dir.bin" "$kws"
for model in "$kws" "$mnist"; do
  check "breakdown adds up: $model" adds_up "$model"
  check "plan fits 100 columns: $model" fits_100_columns "$model"
  check "measured is planned: $model" measured_is_planned "$model"
  check "optimised file, same outputs: $model" optimised_is_equal "$model"
done
check "KWS: naive order fails where lifetime order fits" naive_fails_where_lifetime_fits
check "outputs as .npy and raw" round_trip
check "held-out digits, 97 % or better" "$build/digits" "$mnist" examples/mnist/digits.bin
if [ -d ../shared/models ]; then
  for model in ../shared/models/*.tflite; do
    check "breakdown and high water: $(basename "$model")" sh -c "$arenite profile '$model' >/dev/null"
    check "plan fits 100 columns: $(basename "$model")" fits_100_columns "$model"
  done
else
  skip "profile of every model" "../shared is not here"
fi
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
