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

have() { command -v "$1" >/dev/null; }
if [ $# -eq 0 ] && have qemu-system-arm && have arm-none-eabi-gcc; then
  echo && echo "Keyword spotting on a simulated STM32F411 (Cortex-M4F), in an arena of 16 KB:"
  make -s -j2 -f ports/Makefile BOARD=stm32f411 APP=examples/firmware/profile ARENA=16384 \
    MODEL=examples/kws/kws.tflite BUILD=build || exit 1
  step ports/run.sh stm32f411 build/device/stm32f411/profile-kws/image.elf -icount shift=0 || exit 1
fi
