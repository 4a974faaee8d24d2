#!/bin/sh
# Counts one model on one target: bench/device/run.sh TARGET MODEL [VARIABLE=value of
# ports/Makefile]...
#   TARGET  m0plus m3 m4 m7 m55 rv32      BUILD=... in the environment: the build folder
# Prints "key value" lines. Instructions: `open` of `start` (arn_model_open, then arn_start),
# `invoke` (mean of three), `kind` and `node` (steps, counted in a further invocation). Bytes:
# arena, stack, text, data, bss. HISTOGRAM=FILE in the environment: a histogram by address, one part
# for each mark (see the plugin).
cd "$(dirname "$0")/../.." || exit 1
. bench/device/lib.sh
[ $# -ge 2 ] || { sed -n '2,8s/^# //p' "$0" >&2; exit 2; }
target=$1
model=$2
shift 2
BENCH_FLAGS="$*"
BENCH_PLUGIN=${HISTOGRAM:+,hist=$HISTOGRAM}
bench_run "$target" "$model"
