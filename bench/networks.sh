#!/bin/sh
# Networks of the literature, by shape: what their activations need by rows, whole input in memory
# and streamed row by row, beside published figures (../shared/networks.md; that of mbv2-0.30-80 is
# all of RAM). Nothing is computed twice, and every plan was verified and run to the same bytes as
# the original before it counts. Writes bench/networks.csv.
# Usage: bench/networks.sh [BUILD [SECONDS]]    SECONDS of processor time to search, each (30)
build=${1:-build}
seconds=${2:-30}
models=../shared/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
csv=$work/networks.csv

print() {
  printf '%-22s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n' "$@"
}

field() {  # field NAME FILE: a number of the command's JSON
  sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\([0-9]*\).*/\1/p" "$2" | head -n 1
}

plan() {  # plan FILE JSON [OPTION]...
  file=$1 json=$2
  shift 2
  "$build/arenite" optimize --json --budget "$seconds" "$@" -o "$work/out.tflite" "$file" \
    >"$json" 2>"$work/err" || { cat "$work/err" >&2; return 1; }
}

# row NAME FILE PUBLISHED ANY ASKED ASKED_STREAMED: published without recomputation, and with any;
# what that table asks for. A dash where there is none.
row() {
  if [ ! -f "$2" ]; then
    echo "SKIP $1: $2 is not there" >&2
    return 0
  fi
  plan "$2" "$work/whole.json" && plan "$2" "$work/stream.json" --stream-input 0 || return 1
  whole=$(field whole_tensor_bytes "$work/whole.json")
  rows=$(field dynamic_peak_bytes "$work/whole.json")
  bound=$(field proved_bound_bytes "$work/whole.json")
  streamed=$(field dynamic_peak_bytes "$work/stream.json")
  stream_bound=$(field proved_bound_bytes "$work/stream.json")
  echo "$1,$3,$4,$whole,$5,$rows,$bound,$6,$streamed,$stream_bound" >>"$csv"
  print "$1" "$3" "$4" "$whole" "$5" "$rows" "$bound" "$6" "$streamed" "$stream_bound"
}

echo "network,published,published_any_macs,whole_tensors,asked,rows,proved,asked_streamed,\
rows_streamed,proved_streamed" >"$csv"
print "bytes of activations" published "any MACs" whole asked rows proved asked streamed proved
for name in mbv2-0.35-144 mbv2-1.0-224 mbv2-0.30-80; do
  "$build/zoo" "$name" -o "$work/$name.tflite" >"$work/err" || { cat "$work/err" >&2; exit 1; }
done
row mbv2-0.35-144 "$work/mbv2-0.35-144.tflite" 181440 8560 65500 34000 &&
  row mbv2-1.0-224 "$work/mbv2-1.0-224.tflite" 1372000 171500 160000 104000 &&
  row mbv2-0.30-80 "$work/mbv2-0.30-80.tflite" 81920 - 21500 13500 &&
  row vww-r80 "$models/vww.tflite" 89600 15368 78000 19500 &&
  row mcunet-320kb-176 "$models/mcunet-320kb-1mb_imagenet_h.tflite" 243000 51164 94786 60000 &&
  row person-detection-160 "$models/detection.tflite" 337024 - 247000 31000 &&
  cp "$csv" bench/networks.csv
