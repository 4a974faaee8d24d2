#!/bin/sh
# `arenite report`: every format, the published schemas, hostile names, and the page in a real browser.
# Usage: test_report.sh BUILD
build=${1:-build}
. tests/lib/count.sh
. tools/install.sh
arenite=$build/arenite
kws=examples/kws/kws.tflite
mnist=examples/mnist/mnist.tflite
models=../shared/models
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT

. tests/lib/exits.sh
complains() {  # complains CODE COMMAND...: and, but for 0, with one line on stderr that names the program
  exits "$@" || return 1
  [ "$1" -eq 0 ] || grep -q '^arenite: ' "$work/err" || { echo "no words on stderr"; return 1; }
}
# The plan's own numbers, for comparison with what the views say.
number() { sed -n "s/^\t\"$1\":\t\([0-9]*\),*$/\1/p" "$work/plan.json" | head -n 1; }
"$arenite" plan --json "$kws" >"$work/plan.json"
arena=$(number arena_bytes)
peak=$(number peak_step)
live=$(grep -o '"live_bytes":	[0-9]*' "$work/plan.json" | sed -n "$((peak + 1))s/[^0-9]*//p")
[ -n "$arena" ] && [ -n "$live" ] || { echo "FAIL  the plan has no numbers"; exit 1; }

# ---- formats --------------------------------------------------------------------------------------------

by_ending() {  # by_ending FILE PATTERN
  "$arenite" report -o "$work/$1" "$kws" && grep -q -e "$2" "$work/$1"
}
same_bytes() {  # a stored plan is drawn as the model is
  "$arenite" report -o "$work/1.svg" "$kws" && "$arenite" report -o "$work/2.svg" "$work/plan.json" &&
    cmp "$work/1.svg" "$work/2.svg" && "$arenite" report --format svg - <"$work/plan.json" | cmp - "$work/1.svg"
}
round_trip() {
  "$arenite" report -o "$work/3.json" "$kws" "$mnist" && "$arenite" report -o "$work/4.json" "$work/3.json" &&
    cmp "$work/3.json" "$work/4.json"
}
terminal() {
  "$arenite" report --planner auto,id "$kws" >"$work/term.txt" &&
    grep -q "arena $arena bytes" "$work/term.txt" && grep -q "peak $live bytes at step $peak" "$work/term.txt" &&
    ! grep -q "$(printf '\033')" "$work/term.txt"
}
narrow() {  # 100 characters, whatever the locale counts as one
  "$arenite" report "$1" | LC_ALL=C sed 's/[\x80-\xBF]//g' | LC_ALL=C awk 'length($0) > 100 { bad = 1 } END { exit bad }'
}
packing() {  # every block of the map, its place included
  "$arenite" report --format csv "$kws" >"$work/kws.csv" &&
    [ "$(head -n 1 "$work/kws.csv")" = "id,lower,upper,size,alignment,offset" ] &&
    [ "$(tail -n +2 "$work/kws.csv" | wc -l)" -eq "$(grep -c '"region":	"dynamic"' "$work/plan.json")" ]
}
packing_is_read() {  # without shared bytes it is a placement that `arenite pack` accepts
  "$arenite" report --no-overlap --planner greedy --format csv "$1" >"$work/apart.csv" &&
    "$arenite" pack --check --capacity 16M "$work/apart.csv"
}
massif() {
  "$arenite" report -o "$work/kws.massif" "$kws" && grep -q '^heap_tree=peak$' "$work/kws.massif" || return 1
  most=$(sed -n 's/^mem_heap_B=//p' "$work/kws.massif" | sort -n | tail -n 1)
  [ "$most" -eq $((live + $(number peak_offset))) ] || { echo "peak $most"; return 1; }
  awk '/^n[0-9]+:/ { if (sum != want) bad = 1; want = $2; sum = 0 } /^ n0:/ { sum += $2 }
    END { exit bad || sum != want }' "$work/kws.massif"
}
ms_print_reads() { ms_print "$work/kws.massif" | grep -q '(peak)'; }

check "help has an example" sh -c "'$arenite' report --help | grep -q '^Example: '"
check "no argument: usage" sh -c "'$arenite' report 2>/dev/null; [ \$? -eq 2 ]"
check "unknown ending: usage" complains 2 "$arenite" report -o "$work/x.doc" "$kws"
check "unknown planner: usage" complains 2 "$arenite" report --planner best "$kws"
check "no such file: I/O" complains 6 "$arenite" report "$work/none.tflite"
check "unwritable: I/O" complains 6 "$arenite" report -o "$work/no/such/x.svg" "$kws"
check "massif of two plans: usage" complains 2 "$arenite" report -o "$work/x.massif" "$kws" "$mnist"
check "nine plans: usage" complains 2 "$arenite" report -o "$work/x.json" "$kws" "$kws" "$kws" "$kws" "$kws" \
  "$kws" "$kws" "$kws" "$kws"
check "nothing is written where something fails" sh -c "[ ! -e '$work/x.json' ] && [ ! -e '$work/x.massif' ]"
check "html by its ending" by_ending r.html '^<!DOCTYPE html>'
check "svg by its ending" by_ending r.svg '^<svg '
check "md by its ending" by_ending r.md '^### Arena of `'
check "trace by its ending" by_ending r.trace.json '"traceEvents":\['
check "text by its ending" by_ending r.txt 'bytes alive'
check "markdown has the plan's numbers" grep -q "\*\*$arena\*\*.*| $live bytes at step $peak, " "$work/r.md"
check "a stored plan is drawn as the model" same_bytes
check "a report is read back as it was" round_trip
check "terminal: the plan's numbers, no colours in a pipe" terminal
check "terminal: 100 columns" narrow "$kws"
check "csv" packing
check "massif: peak, and trees that add up" massif
if command -v ms_print >/dev/null 2>&1; then check "ms_print reads it" ms_print_reads; else
  skip "ms_print" "not installed"
fi
if [ -d "$models" ]; then
  for model in person_detect micro_speech_lstm hey_jarvis; do
    check "terminal: 100 columns: $model" narrow "$models/$model.tflite"
    check "csv is a placement without overlap: $model" packing_is_read "$models/$model.tflite"
  done
else
  skip "more models" "$models is not here"
fi

# ---- hostile input --------------------------------------------------------------------------------------

# Names of the same length: the file stays whole.
LC_ALL=C sed 's,02_depthwise,</script><b>,g; s,01_conv,\xff\x1b[2J\x80|,g; s,03_dense,a"\\\&<\xc2`z,g' "$kws" \
  >"$work/hostile.tflite"
no_control_bytes() {
  for format in term md svg csv massif trace json html; do
    "$arenite" report --format $format "$work/hostile.tflite" >"$work/hostile.$format" || return 1
    LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$work/hostile.$format" && echo "$format" && return 1
    iconv -f UTF-8 -t UTF-8 "$work/hostile.$format" >/dev/null || { echo "$format: no UTF-8"; return 1; }
  done
}
page_keeps_its_scripts() {  # only the page's own script elements end
  [ "$(grep -c '</script>' "$work/hostile.html")" -eq "$(grep -c '</script>' host/report/web/report.html)" ]
}
refuses() {  # refuses SED-EXPRESSION: what it makes of the plan
  sed "$1" "$work/plan.json" >"$work/bad.json"
  cmp -s "$work/plan.json" "$work/bad.json" && { echo "changes nothing"; return 1; }
  complains 3 "$arenite" report --format svg "$work/bad.json"
}
check "hostile names: UTF-8, no control bytes, in all formats" no_control_bytes
check "hostile names: no script of theirs in the page" page_keeps_its_scripts
check "cut JSON" sh -c "head -c 1000 '$work/plan.json' >'$work/cut.json'; '$arenite' report '$work/cut.json' 2>/dev/null; [ \$? -eq 3 ]"
check "another schema" refuses 's/arenite.plan/arenite.plot/'
check "another version" refuses 's/"version":	1/"version":	2/'
check "negative offset" refuses 's/"offset":	2624/"offset":	-1/'
check "an offset that is no whole number" refuses 's/"offset":	2624/"offset":	2624.5/'
check "an end behind 4 GiB" refuses 's/"offset":	2624/"offset":	4294967290/'
check "a life behind the last step" refuses 's/"last_step":	1,/"last_step":	99,/'
check "a number that is a text" refuses 's/"bytes":	490/"bytes":	"490"/'
check "a number that is not finite" refuses 's/"bytes":	490/"bytes":	1e999/'
check "an owner that is not there" refuses 's/"owner":	2/"owner":	77/'
check "a peak at no step" refuses 's/"peak_step":	1/"peak_step":	1000/'
check "no steps" refuses 's/"steps":/"stops":/'

# ---- schemas --------------------------------------------------------------------------------------------

write_json() {
  "$arenite" report --json --planner auto,greedy,id "$kws" "$mnist" >"$work/report.json" || return 1
  for model in "$kws" "$mnist" "$@"; do
    base=$(basename "$model" .tflite)
    "$arenite" plan --json "$model" >"$work/valid_$base.plan.json" &&
      "$arenite" profile --json "$model" >"$work/valid_$base.profile.json" || return 1
    case $base in person_detect|kws|mnist) ;; *) continue ;; esac
    "$arenite" plan --planner rows --budget 1 --json "$model" >"$work/valid_$base.rows.json" &&
      "$arenite" optimize --budget 1 -o "$work/$base.o.tflite" "$model" >/dev/null &&
      "$arenite" profile --json "$work/$base.o.tflite" >"$work/valid_$base.rows_profile.json" || return 1
  done
}
write_all() {  # what every other command writes; exit codes are its own business
  shared_cases=
  [ -f "$models/person_detect.tflite" ] && shared_cases=$models/person_detect.tflite
  for model in "$kws" "$mnist" $shared_cases "$@"; do
    base=$(basename "$model" .tflite)
    "$arenite" inspect --json "$model" >"$work/all_$base.inspect.json"
    "$arenite" run --json "$model" >"$work/all_$base.run.json"
    "$arenite" trace --json --invocations 2 "$model" >"$work/all_$base.trace.json"
    "$arenite" fit --json "$model" >"$work/all_$base.fit.json"
    "$arenite" diagnose --json --budget 1 --arena 2K "$model" >"$work/all_$base.diagnose.json"
  done
  "$arenite" optimize --json --trade --budget 1 -o "$work/all.tflite" "$mnist" >"$work/all_1.optimize.json"
  "$arenite" diagnose --json --budget 1 --planner id --keep-all --copy-weights --board stm32f411 "$kws" \
    >"$work/all_1.diagnose.json"
  "$arenite" compare --json --planner id --planner greedy "$kws" >"$work/all_1.compare.json"
  "$arenite" compare --json "$kws" "$mnist" >"$work/all_2.compare.json"
  "$arenite" explain --json "5054,0,2,3418,2000" "$kws" >"$work/all_1.explain.json"
  "$arenite" explain --json "-3,1,2,0,0" >"$work/all_2.explain.json"
  printf 'name,vendor,core,mhz,flash_kb,flash,ram,source\nA,me,cortex-m4f,100,1,internal,x=1;y=2,mine\n' \
    >"$work/own.csv"
  "$arenite" fit --json --board "$work/own.csv" "$mnist" >"$work/all_1.fit.json" 2>/dev/null
  "$arenite" report --no-overlap --planner greedy --format csv "$kws" >"$work/all.csv"
  "$arenite" pack --json --minimize "$work/all.csv" >"$work/all_1.pack.json"
  "$arenite" pack --json --capacity 16 "$work/all.csv" >"$work/all_2.pack.json"
  for kind in pack inspect run trace fit diagnose optimize compare explain; do
    [ -n "$(find "$work" -name "all_*.$kind.json" -size +100c)" ] || { echo "no $kind"; return 1; }
  done
}
every_kind_has_a_schema() {  # each name that the sources write as a schema's
  for kind in $(grep -rhE 'host_json_new\(|"schema"' host --include=*.c |
                sed -n 's/.*"arenite\.\([a-z]*\)".*/\1/p' | sort -u); do
    [ -f "docs/schema/$kind.schema.json" ] && grep -q "($kind.schema.json)" docs/schema/README.md ||
      { echo "arenite.$kind"; return 1; }
  done
}
lanes() {
  python3 - "$work/r.trace.json" "$work/plan.json" <<'END'
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
steps = json.load(open(sys.argv[2]))["steps"]
spans = collections.defaultdict(list)
for event in events:
    if event["ph"] == "X":
        spans[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
for lane in spans.values():
    assert all(b[0] >= a[1] for a, b in zip(sorted(lane), sorted(lane)[1:])), lane
live = [event["args"]["live"] for event in events if event["ph"] == "C" and "live" in event["args"]]
assert live == [step["live_bytes"] for step in steps], live
assert len(spans[1, 1]) == len(steps)
END
}
refused_by_schema() {
  sed "$1" "$work/plan.json" >"$work/bad.json"
  cmp -s "$work/plan.json" "$work/bad.json" && return 1
  ! python3 -W ignore tests/web/check_json.py "$work/bad.json"
}
check "every kind of JSON has a schema" every_kind_has_a_schema
python3 -c 'import jsonschema' 2>/dev/null || arn_install python3-jsonschema >/dev/null 2>&1
if python3 -c 'import jsonschema' 2>/dev/null; then
  set --
  for model in person_detect micro_speech_lstm audio_preprocessor_int8 sine_float slu_model dtln_noise_suppression; do
    [ -f "$models/$model.tflite" ] && set -- "$@" "$models/$model.tflite"
  done
  check "plans, profiles and a report as JSON" write_json "$@"
  check "JSON of every command" write_all "$@"
  sum "schemas of every command" python3 -W ignore tests/web/check_json.py "$work"/all_*.json
  sum "schemas" python3 -W ignore tests/web/check_json.py "$work/report.json" "$work"/valid_*.json
  check "a plan that contradicts itself is noticed" refused_by_schema 's/"live_bytes":	3072/"live_bytes":	3071/'
  check "schema: refuses what lacks a field" refused_by_schema '/"arena_bytes"/d'
  check "schema: refuses what it does not describe" refused_by_schema 's/"planner":/"colour": 1, &/'
  check "schema: refuses another type" refused_by_schema 's/"bytes":	490/"bytes":	"490"/'
  check "trace is JSON" sh -c "python3 -m json.tool '$work/hostile.trace' >/dev/null"
  check "trace: every step, and one block at a time in a lane" lanes
  check "svg is XML" python3 -c "import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]" \
    "$work/hostile.svg" "$work/1.svg"
else
  skip "schemas" "python3-jsonschema is not here"
fi

# ---- browser --------------------------------------------------------------------------------------------

find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
{ find_browser && command -v node && command -v npm; } >/dev/null ||
  arn_install chromium nodejs npm >/dev/null 2>&1
chromium=$(find_browser)
browser() {
  mkdir -p "$work/pages"
  "$arenite" report -o "$work/pages/kws.html" "$kws" && "$arenite" report -o "$work/pages/kws.json" "$kws" &&
    "$arenite" report --planner auto,rows --budget 1 -o "$work/pages/two.json" "$mnist" &&
    "$arenite" report -o "$work/pages/two.html" "$work/pages/two.json" &&
    node tests/web/big_plan.mjs >"$work/big.json" && "$arenite" report -o "$work/pages/big.html" "$work/big.json" ||
    return 1
  evil='<img src=x onerror=window.owned=1><\/script><script>window.owned=1<\/script>'
  sed "s/\"name\":	\"04_softmax\"/\"name\":	\"$evil\"/; s/\"op\":	\"SOFTMAX\"/\"op\":	\"$evil\"/" "$work/plan.json" \
    >"$work/evil.json"
  grep -q onerror "$work/evil.json" && "$arenite" report -o "$work/pages/hostile.html" "$work/evil.json" || return 1
  CHROMIUM=$chromium MODULES=$build/web timeout 120 node tests/web/test_report.mjs "$work/pages"
}
mkdir -p "$build/web"
cp tests/web/package.json "$build/web/"
if [ -n "$chromium" ] && command -v npm >/dev/null 2>&1 && command -v node >/dev/null 2>&1; then
  [ -d "$build/web/node_modules/playwright-core" ] ||
    (cd "$build/web" && npm install --no-audit --no-fund --no-package-lock >/dev/null 2>&1)
fi
if [ -z "$chromium" ]; then
  skip "the page in a browser" "Chromium is not here"
elif [ ! -d "$build/web/node_modules/playwright-core" ]; then
  skip "the page in a browser" "node, npm or playwright-core is not here"
else
  sum "the page in Chromium" browser
fi
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
