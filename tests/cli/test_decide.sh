#!/bin/sh
# trace, compare, fit, explain, diagnose: each number they print is held against one had another way.
build=${1:-build}
. tests/lib/count.sh
arenite=$build/arenite
kws=examples/kws/kws.tflite
mnist=examples/mnist/mnist.tflite
shared=../shared/models
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT

exits() {  # exits CODE COMMAND...: output in $work/out, $work/err
  want=$1
  shift
  "$@" >"$work/out" 2>"$work/err"
  code=$?
  [ "$code" -eq "$want" ] || { echo "exit code $code, want $want"; cat "$work/out" "$work/err"; return 1; }
}
says() { grep -q -- "$1" "$work/out" "$work/err" || { cat "$work/out" "$work/err"; return 1; }; }
fits_100_columns() { "$@" 2>&1 | awk 'length($0) > 100 { bad = 1; print } END { exit bad }'; }

# ---- trace
same_under_every_plan() {
  "$arenite" optimize --budget 2 -o "$work/rows.tflite" "$1" >/dev/null &&
    "$arenite" trace --invocations 2 "$1" >"$work/plain" &&
    "$arenite" trace --invocations 2 "$work/rows.tflite" >"$work/rows" &&
    "$arenite" trace --invocations 2 --keep-all "$1" >"$work/kept" &&
    "$arenite" trace --invocations 2 --planner id "$1" >"$work/id" &&
    cmp "$work/plain" "$work/rows" && cmp "$work/plain" "$work/kept" && cmp "$work/plain" "$work/id"
}
against_itself() {
  "$arenite" trace "$kws" >"$work/own" && exits 0 "$arenite" trace --against "$work/own" "$kws" &&
    says ': 5 equal, 0 differ'
}
finds_the_first_that_differs() {
  awk '$3 == 1 { $7 = "00000000" } $3 == 3 { $7 = "00000000" } { print }' "$work/own" >"$work/other" &&
    exits 1 "$arenite" trace --against "$work/other" "$kws" && says 'node 1 (DEPTHWISE_CONV_2D), tensor 4' &&
    says ': 3 equal, 2 differ'
}
dead_says_so() {
  exits 1 "$arenite" trace --read 3 "$kws" && says 'tensor 3 ("01_conv") is dead' && says 'node 1 is the last'
}
not_written_says_so() { exits 1 "$arenite" trace --read 4 --after 0 "$kws" && says 'dead or not written'; }
alive_reads() {
  exits 0 "$arenite" trace --read 3 --after 0 "$kws" && cp "$work/out" "$work/alive" &&
    exits 0 "$arenite" trace --read 3 --keep-all "$kws" && cmp "$work/out" "$work/alive"
}
crc_is_zlibs() {
  "$arenite" run --output "0=$work/out0.bin" "$kws" >/dev/null
  crc=$(gzip -c "$work/out0.bin" | tail -c 8 | od -An -tx4 -N4 | tr -d ' ')
  "$arenite" trace "$kws" | grep SOFTMAX | grep -q " $crc "
}
golden() {
  table=$shared/golden/$(basename "$1" .tflite).tensors.tsv
  last=$(tail -n 1 "$table" | cut -f1)
  "$arenite" trace --invocations $((last + 1)) --against "$table" "$1"
}

check "trace: checksums are zlib's" crc_is_zlibs
check "trace: 100 columns" fits_100_columns "$arenite" trace "$mnist"
for model in "$kws" "$mnist"; do
  check "trace: the same under every plan: $model" same_under_every_plan "$model"
done
check "trace: against itself" against_itself
check "trace: names the first that differs" finds_the_first_that_differs
check "trace: a dead tensor says so" dead_says_so
check "trace: a tensor not written yet says so" not_written_says_so
check "trace: alive after its node as when all is kept" alive_reads
check "trace: a file without columns: I/O" exits 6 "$arenite" trace --against "$kws" "$kws"
check "trace: no such tensor: usage" exits 2 "$arenite" trace --read 99 "$kws"
check "trace: no such input: usage" exits 2 "$arenite" trace --input "1=$kws" "$kws"
if [ -d "$shared" ]; then
  for table in "$shared"/golden/*.tensors.tsv; do
    check "trace: every tensor: $(basename "$table" .tensors.tsv)" \
      golden "$shared/$(basename "$table" .tensors.tsv).tflite"
  done
else
  skip "trace: every tensor of every model" "../shared is not here"
fi

echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
