#!/bin/sh
# Counts the nine models of the baseline, as they are and optimised by rows, on each target:
#
#   bench/device/all.sh [TARGET]...     default: m4 m7 m55 rv32
#
# Rows of these targets are replaced in device.csv and kinds.csv, and the table is printed. Needs
# ../shared.
cd "$(dirname "$0")/../.." || exit 1
. bench/device/lib.sh
MODELS=../shared/models
[ -d "$MODELS" ] || { echo "../shared is not here" >&2; exit 2; }
[ $# -gt 0 ] || set -- m4 m7 m55 rv32
make -s -j2 BUILD="$BUILD" "$BUILD/arenite" "$BUILD/model_ops" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$BUILD/optimised"

row() {  # row TARGET MODEL FILE LINES: one row of device.csv
  awk -v OFS=, -v target="$1" -v model="$2" -v file="$3" '
    { v[$1] = $2 }
    END { print target, model, file, v["open"], v["start"], v["invoke"], v["arena"],
            v["stack_start"], v["stack_invoke"], v["text"], v["data"], v["bss"] }' "$4"
}
kinds() {
  awk -v OFS=, -v t="$1" -v m="$2" -v f="$3" '$1 == "kind" { print t, m, f, $2, $3 }' "$4"
}
models() { awk -F, -v t="$1" '$1 == t { print $2 }' bench/device/baseline.csv | sort -u; }

for target in "$@"; do
  for model in $(models "$target"); do
    optimised=$BUILD/optimised/$model-rows.tflite
    [ -e "$optimised" ] ||
      "$BUILD/arenite" optimize -o "$optimised" "$MODELS/$model.tflite" >/dev/null || exit 1
    for file in plain rows; do
      path=$MODELS/$model.tflite
      [ $file = plain ] || path=$optimised
      bench_run "$target" "$path" >"$work/lines" || {
        echo "$target $model $file failed" >&2
        exit 1
      }
      row "$target" "$model" $file "$work/lines" >>"$work/rows"
      kinds "$target" "$model" $file "$work/lines" | LC_ALL=C sort >>"$work/kinds"
    done
  done
done

merge() {  # merge CSV NEW HEADER: rows of other targets stay
  { [ ! -e "$1" ] || tail -n +2 "$1" | grep -vE "^($(echo "$targets" | tr ' ' '|')),"
    cat "$2"; } | LC_ALL=C sort >"$work/merged"
  { echo "$3" && cat "$work/merged"; } >"$1"
}
targets=$*
merge bench/device/device.csv "$work/rows" \
  target,model,file,open,start,invoke,arena,stack_start,stack_invoke,text,data,bss
merge bench/device/kinds.csv "$work/kinds" target,model,file,kind,instructions
bench/device/table.sh
