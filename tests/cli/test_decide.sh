#!/bin/sh
# trace, compare, fit, explain, diagnose: each number they print is held against one had another way.
build=${1:-build}
. tests/lib/count.sh
arenite=$(realpath "$build")/arenite
kws=examples/kws/kws.tflite
mnist=examples/mnist/mnist.tflite
shared=../shared/models
work=$(mktemp -d)
here=$PWD
trap 'rm -rf "$work" "$LOG"' EXIT

. tests/lib/exits.sh
says() { grep -q -- "$1" "$work/out" "$work/err" || { cat "$work/out" "$work/err"; return 1; }; }
fits_100_columns() {
  "$@" >"$work/out" 2>&1 && [ -s "$work/out" ] &&
    awk 'length($0) > 100 { bad = 1; print } END { exit bad }' "$work/out"
}

# ---- trace
same_under_every_plan() {
  "$arenite" optimize --budget 1 -o "$work/rows.tflite" "$1" >/dev/null &&
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

# ---- compare and gates
arena_of() { "$arenite" plan --json "$@" | sed -n 's/^\t"arena_bytes":\t\([0-9]*\),*$/\1/p' | head -n 1; }
compare_says_both_arenas() {
  a=$(arena_of --planner id "$kws")
  b=$(arena_of --planner greedy "$kws")
  exits 0 "$arenite" compare --planner id --planner greedy "$kws" && says "arena  *$a  *$b" &&
    says 'the same operators' && says 'equal in all 20 runs'
}
compare_json_is_whole() {
  "$arenite" compare --json --planner id --planner greedy "$kws" | python3 -c '
import json, sys
d = json.load(sys.stdin)
a, b = d["pairs"][0]["categories"]["arena_bytes"]
assert d["schema"] == "arenite.compare" and d["version"] == 1
assert [s["arena_bytes"] for s in d["sides"]] == [a, b]
for side in 0, 1:
  parts = [v[side] for v in list(d["pairs"][0]["categories"].values())[6:]]
  assert sum(parts) == [a, b][side], (parts, a, b)'
}
plan_in_a_file() {
  "$arenite" plan --json "$kws" >"$work/plan.json" &&
    exits 0 "$arenite" compare --max-growth 0% "$work/plan.json" "$kws" &&
    exits 1 "$arenite" compare --max-growth 0% "$work/plan.json" "$mnist" && says 'the arena grew by'
}
gate_is_exact() {  # the need itself passes; one byte less fails
  need=$(arena_of "$kws")
  for command in plan inspect profile compare; do
    other=
    [ "$command" = compare ] && other=$mnist
    exits 0 "$arenite" "$command" --max-arena "$need" $other "$kws" &&
      exits 1 "$arenite" "$command" --max-arena=$((need - 1)) $other "$kws" &&
      says "needs $need bytes; allowed are $((need - 1))" || return 1
  done
}
growth_of_two_percent() {
  need=$(arena_of "$kws")
  exits 0 "$arenite" plan --max-growth 2% --baseline "$((need * 100 / 102 + 1))" "$kws" &&
    exits 1 "$arenite" plan --max-growth 2% --baseline "$((need * 100 / 102 - 1))" "$kws"
}
three_types() {
  for type in float32 int16x8 int8; do
    "$build/zoo" mbv2-0.30-80 --type $type -o "$work/$type.tflite" >/dev/null || return 1
  done
  exits 0 "$arenite" compare --invocations 2 "$work/float32.tflite" "$work/int16x8.tflite" "$work/int8.tflite" &&
    says '^float32.tflite  *FLOAT32' && says '^int16x8.tflite  *INT16x8' && says '^int8.tflite  *INT8' &&
    [ "$(grep -c 'signal to noise' "$work/out")" -eq 2 ]
}

check "compare: both arenas as plan says them" compare_says_both_arenas
check "compare: 100 columns" fits_100_columns "$arenite" compare "$kws" "$mnist"
check "compare: a plan in a file, growth" plan_in_a_file
check "compare: one network in three types" three_types
check "compare: one side only: usage" exits 2 "$arenite" compare "$kws"
check "compare: no file: I/O" exits 6 "$arenite" compare "$kws" "$work/none"
if python3 -c '' 2>/dev/null; then
  check "compare: JSON adds up" compare_json_is_whole
else
  skip "compare: JSON adds up" "no python3"
fi
check "gate: exact to the byte, under every command" gate_is_exact
check "gate: growth in per cent" growth_of_two_percent
check "gate: growth without a baseline: usage" exits 2 "$arenite" plan --max-growth 2% "$kws"
check "gate: no number: usage" exits 2 "$arenite" plan --max-arena much "$kws"
check "gate: no plan in the baseline: I/O" exits 6 "$arenite" plan --max-growth 2% --baseline "$kws" "$kws"

# ---- fit
own_board() {  # own_board LINE: into $work/board.csv
  printf '# mine\nname,vendor,core,mhz,flash_kb,flash,ram,source\n%s\n' "$1" >"$work/board.csv"
}
fit_is_exact() {  # a region of as many KB as the arena needs, and one less
  kb=$((($(arena_of "$mnist") + 1023) / 1024))
  own_board "A,me,cortex-m4f,100,1024,internal,small=$((kb - 1));big=$kb,mine" &&
    exits 0 "$arenite" fit --board "$work/board.csv" "$mnist" && says 'A .* big ' &&
    own_board "A,me,cortex-m4f,100,1024,internal,one=$((kb - 1)),mine" &&
    exits 1 "$arenite" fit --all --board "$work/board.csv" "$mnist" && says 'no regions hold the arena' &&
    own_board "A,me,cortex-m4f,100,1,internal,big=$((kb + 8)),mine" &&
    exits 1 "$arenite" fit --all --board "$work/board.csv" "$mnist" && says 'flash lacks'
}
number_in() { sed -n "s/^.*\"$1\":\s*\([0-9]*\).*/\1/p" "$2" | head -n 1; }
two_regions_are_used() {  # the arena in neither; a byte less in either, and it does not fit
  "$arenite" plan --json "$mnist" >"$work/plan.json"
  whole=$(number_in arena_bytes "$work/plan.json")
  fixed=$(number_in static_bytes "$work/plan.json")
  dynamic=$(number_in dynamic_block_bytes "$work/plan.json")
  exits 0 "$arenite" plan --arena "$fixed" --dynamic "$dynamic" "$mnist" && says ' 0 to spare' &&
    exits 5 "$arenite" plan --arena "$((fixed - 1))" --dynamic "$dynamic" "$mnist" &&
    says "static region alone (--arena), is too small; it needs $fixed bytes" &&
    exits 5 "$arenite" plan --arena "$fixed" --dynamic "$((dynamic - 1))" "$mnist" &&
    says "(--dynamic) is too small; it needs $dynamic bytes" || return 1
  kb() { awk "BEGIN { print $1 / 1024 }"; }
  [ "$dynamic" -lt "$whole" ] || { echo "no use: $whole and $dynamic"; return 1; }
  own_board "A,me,cortex-m4f,100,1024,internal,ccm=4;sram=$(kb "$dynamic"),mine" &&
    exits 0 "$arenite" fit --board "$work/board.csv" "$mnist" && says 'A .* sram+ccm ' &&
    own_board "A,me,cortex-m4f,100,1024,internal,ccm=4;sram=$(kb $((dynamic - 1))),mine" &&
    exits 1 "$arenite" fit --board "$work/board.csv" "$mnist"
}
bad_board() {
  own_board "A,me,cortex-m4f,100,1024,internal,big,mine" &&
    exits 6 "$arenite" fit --board "$work/board.csv" "$mnist" && says 'board.csv:3: RAM is not of the form'
}
estimate_is_near_the_count() {  # instructions as counted for the whole model; the estimate is from kinds
  "$arenite" fit --json --part STM32F411RE "$shared/$1.tflite" | python3 -c '
import csv, json, sys
part = json.load(sys.stdin)["parts"][0]
rows = [r for r in csv.DictReader(open("boards/device.csv"))
        if (r["target"], r["model"], r["file"]) == (part["measured_on"], sys.argv[1], "plain")]
ratio = part["estimated_milliseconds"] * part["mhz"] * 1000 / int(rows[0]["invoke"])
print("estimated", ratio, "of what was counted")
sys.exit(not 0.5 < ratio < 2)' "$1"
}

check "fit: KWS fits somewhere" exits 0 "$arenite" fit "$kws"
check "fit: 100 columns" fits_100_columns "$arenite" fit --all "$mnist"
check "fit: one part by name" exits 0 "$arenite" fit --part stm32f411 "$kws"
check "fit: regions and flash to the KB" fit_is_exact
check "fit: two regions where one does not do" two_regions_are_used
check "fit: a wrong line of one's own table is named" bad_board
check "fit: no such table: I/O" exits 6 "$arenite" fit --board "$work/none.csv" "$kws"
if [ -d "$shared" ] && python3 -c '' 2>/dev/null; then
  for model in kws_ref_model person_detect str_ww_ref_model; do
    check "fit: estimate within 2 of the count: $model" estimate_is_near_the_count $model
  done
else
  skip "fit: estimate against the count" "../shared or python3 is not here"
fi

# ---- diagnose and explain
commands_do_what_they_say() {  # the command of each remedy, run: is the arena then what was promised?
  "$arenite" diagnose --json --budget 1 --arena 1K --planner id --keep-all "$mnist" >"$work/advice.json"
  [ $? -eq 5 ] || return 1
  python3 -c '
import json, subprocess, sys
advice = json.load(open(sys.argv[2]))
assert advice["remedies"], "no remedy"
saved = [r["saved_bytes"] for r in advice["remedies"]]
assert saved == sorted(saved, reverse=True)
for r in advice["remedies"]:
  words = r["command"].split()
  if words[0] != "arenite": continue
  out = subprocess.run([sys.argv[1]] + words[1:] + ["--json"], check=True, capture_output=True, text=True).stdout
  d = json.loads(out)
  # Of two blocks, the remedy counts the one that stays where the arena was.
  arena = max(d["static_bytes"], d["dynamic_block_bytes"]) if r["remedy"] == "regions" else d["arena_bytes"]
  print(r["remedy"], r["arena_bytes"], arena)
  # A search by rows ends by time: two may end a few bytes apart. Plans are exact.
  slack = r["arena_bytes"] // 20 if words[1] == "optimize" else 0
  assert abs(arena - r["arena_bytes"]) <= slack, r
' "$arenite" "$work/advice.json"
}
in_work() { cp "$mnist" "$work/m.tflite" && (cd "$work" && mnist=m.tflite && "$@"); }
another_region_helps() {  # the lack is the static region at least: it goes elsewhere, where there is room
  need=$(arena_of "$mnist")
  "$arenite" plan --json "$mnist" >"$work/plan.json"
  fixed=$(number_in static_bytes "$work/plan.json")
  exits 5 "$arenite" diagnose --budget 1 --arena "$((need - fixed))" --region "$fixed" "$mnist" &&
    says '(fits): regions' && says "the static region, $fixed" &&
    exits 5 "$arenite" diagnose --budget 1 --arena "$((need - fixed))" --region "$((fixed - 1))" "$mnist" &&
    says ': regions' && ! says '(fits): regions' >/dev/null
}
order_is_carried_out() {  # the file in its other order needs what was promised, in the same outputs
  "$arenite" diagnose --json --budget 1 --arena 8K "$shared/model_1.tflite" >"$work/advice.json"
  grep -q '"operator order"' "$work/advice.json" || { cat "$work/advice.json"; return 1; }
  command=$(sed -n 's/^.*"command":\s*"arenite \(optimize --order .*\)".*/\1/p' "$work/advice.json")
  (cd "$work" && cp "$here/$shared/model_1.tflite" . && "$arenite" optimize --order -o model_1.order.tflite model_1.tflite) &&
    echo "$command" | grep -q -- '--order -o model_1.order.tflite' || { echo "$command"; return 1; }
  now=$(arena_of "$work/model_1.order.tflite")
  grep -q "\"arena_bytes\":\s*$now," "$work/advice.json" &&
    exits 1 "$arenite" optimize --order -o "$work/again.tflite" "$work/model_1.order.tflite" &&
    says 'no order of operators' && [ ! -e "$work/again.tflite" ]
}
enough_is_enough() {
  need=$(arena_of "$kws")
  exits 0 "$arenite" diagnose --budget 1 --arena "$need" "$kws" && says 'fits: .* 0 to spare' &&
    exits 5 "$arenite" diagnose --budget 1 --arena $((need - 1)) "$kws" && says '1 are lacking' && says 'what fails'
}
diagnosis_is_narrow() {
  exits 5 "$arenite" diagnose --budget 1 --arena 1K "$mnist" && awk 'length($0) > 100 { exit 1 }' "$work/out"
}
board_is_its_largest_region() {
  exits 0 "$arenite" diagnose --budget 1 --board stm32f411 "$kws" && says 'STM32F411RE: sram, 131072 bytes'
}
record_of_a_start() {  # as diagnose says that it fails, in five numbers
  "$arenite" diagnose --json --budget 1 --arena 2K "$mnist" >"$work/advice.json"
  record=$(python3 -c '
import json, re, sys
f = json.load(open(sys.argv[1]))["failing"]
names = re.findall(r"X\(([A-Z0-9_]+), \"((?:[^\"\\]|\\.)*)\"\)", open("include/arenite/status.h").read())
what = [t for _, t in names].index(f["reason"])
print(5000 + what, f.get("node", -1), f.get("tensor", -1), f["need"], f["have"], sep=",")' "$work/advice.json")
  echo "$record"
  exits 0 "$arenite" explain "$record" "$mnist" && says 'the arena had 20[45][0-9] bytes' && says 'What to do'
}

if python3 -c '' 2>/dev/null; then
  check "diagnose: every command does what it says" in_work commands_do_what_they_say
  check "explain: a record leads back to its arena" record_of_a_start
else
  skip "diagnose: every command does what it says" "no python3"
fi
check "diagnose: another region of RAM" another_region_helps
if [ -d "$shared" ]; then
  check "diagnose: another order of operators" order_is_carried_out
else
  skip "diagnose: another order of operators" "../shared is not here"
fi
check "diagnose: enough is enough, a byte less is not" enough_is_enough
check "diagnose: 100 columns" diagnosis_is_narrow
check "diagnose: a board by the beginning of its name" board_is_its_largest_region
check "diagnose: neither arena nor board: usage" exits 2 "$arenite" diagnose "$kws"
check "diagnose: no such board: usage" exits 2 "$arenite" diagnose --board nonsense "$kws"
check "explain: a sentence without a model" exits 0 "$arenite" explain "-3,1,2,0,0"
check "explain: four numbers: usage" exits 2 "$arenite" explain "5050,1,2,3"
check "explain: words: usage" exits 2 "$arenite" explain "five,1,2,3,4"
check "explain: another model's record: refused" exits 1 "$arenite" explain "5050,0,0,77,3" "$kws"

# ---- docs/commands.md
documented() {  # every "$ arenite ..." of the page runs: 0, or the 5 of a diagnosis
  sed -n 's/^    \$ arenite //p' docs/commands.md >"$work/lines"
  [ "$(wc -l <"$work/lines")" -ge 8 ] || return 1
  while read -r line; do
    eval "\"\$arenite\" $line" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    case $code$line in
      0*|5diagnose*) ;;
      *) echo "exit code $code: arenite $line"; cat "$work/err"; return 1 ;;
    esac
  done <"$work/lines"
}
check "docs/commands.md: every command runs" documented

echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
