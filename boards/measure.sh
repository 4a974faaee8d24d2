#!/bin/sh
# Counts instructions by kind of operator for boards/speed.py, on five models and more cores than
# bench/device/all.sh:
#
#   boards/measure.sh [TARGET]...     default: m0plus m3 m4 m7 rv32
#
# Rows of these targets are replaced in boards/kinds.csv and boards/device.csv. Needs ../shared, the cross
# compilers and QEMU (tests/cli/test_device.sh installs them); BUILD names the build folder.
cd "$(dirname "$0")/.." || exit 1
. bench/device/lib.sh
models="hello_world_int8 keyword_scrambled_8bit kws_ref_model str_ww_ref_model person_detect"
[ $# -gt 0 ] || set -- m0plus m3 m4 m7 rv32
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target in "$@"; do
  for model in $models; do
    bench_run "$target" "../shared/models/$model.tflite" >"$work/lines" || exit 1
    awk -v OFS=, -v t="$target" -v m="$model" '$1 == "kind" { print t, m, "plain", $2, $3 }' \
      "$work/lines" >>"$work/kinds"
    awk -v OFS=, -v t="$target" -v m="$model" '{ v[$1] = $2 }
      END { print t, m, "plain", v["invoke"], v["stack_start"], v["stack_invoke"], v["text"] }' \
      "$work/lines" >>"$work/device"
  done
done
merge() {  # merge CSV NEW HEADER: rows of other targets stay
  { echo "$3"
    { [ ! -e "$1" ] || tail -n +2 "$1" | grep -vE "^($(echo "$targets" | tr ' ' '|')),"; cat "$2"; } |
      LC_ALL=C sort; } >"$work/merged"
  cp "$work/merged" "$1"
}
targets=$*
merge boards/kinds.csv "$work/kinds" target,model,file,kind,instructions
merge boards/device.csv "$work/device" target,model,file,invoke,stack_start,stack_invoke,text
