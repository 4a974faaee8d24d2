#!/bin/sh
# ./demo.sh [model.tflite]: builds, then does the main job on the bundled MNIST network (or the model given):
# plan, map, profile, optimise by rows, and classify real digits.
cd "$(dirname "$0")" || exit 1
. tools/install.sh
arn_install gcc make libc6-dev libcjson-dev || exit 1
make -s -j"$(nproc 2>/dev/null || echo 2)" BUILD=build all build/digits || exit 1
MODEL=${1:-examples/mnist/mnist.tflite}
step() { printf '\n$ %s\n' "$*"; "$@"; }

step build/arenite plan "$MODEL" || exit $?
step build/arenite profile "$MODEL" || exit $?
OUT=build/demo_rows.tflite
step build/arenite optimize -o "$OUT" "$MODEL" || exit $?
if [ $# -eq 0 ]; then
  step build/digits examples/mnist/mnist.tflite examples/mnist/digits.bin || exit 1
  step build/digits "$OUT" examples/mnist/digits.bin || exit 1
else
  step build/arenite run "$OUT" || exit $?
fi
