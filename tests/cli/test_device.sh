#!/bin/sh
# The engine on simulated bare machines: the conformance cases, plans, firmware, boards.
# Usage: test_device.sh BUILD [--long]      --long: all models on all targets, every variant on one
build=${1:-build}
long=${2:-}
. tests/lib/count.sh
. tests/lib/device.sh
. tools/install.sh
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT
finish() {
  echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
  [ "$FAILED" -eq 0 ]
  exit
}
# shellcheck disable=SC2086
arn_install $device_packages || {
  skip "devices" "cross compilers and QEMU can't be installed"
  finish
}
make -s -j2 BUILD="$build" "$build/arenite" "$build/conformance" "$build/model_ops" || exit 1
packs=
models=../shared/models
[ -d ../shared/opcases/public ] && packs=$(echo ../shared/opcases/public/*.pack)
[ -d "$models" ] || models=
kws=examples/kws/kws.tflite

# ---- the conformance cases, on each target
# ----------------------------------------------------------

on_target() {  # on_target BOARD VARIABLE=value...
  board=$1
  shift
  runner=runner$(echo "$*" | tr -dc 'a-z0-9')
  check "runner for $board $*" device_make "$board" APP=tests/device NAME="$runner" "$@"
  [ -n "$packs" ] || { skip "cases on $board" "../shared is not here"; return; }
  # shellcheck disable=SC2086
  sum "operator cases on $board $*" device_sum device_packs "$board" "$runner" --quick $packs
  sum "models on $board $*" device_sum device_models "$board" "$runner"
  plan_paths="$packs $models"
  check "plans of $board $* are the host's" device_same_plans "$board" "$runner"
}
quick_models="hello_world_int8 keyword_scrambled_8bit micro_speech_quantized ad01_int8
  kws_ref_model"
device_models() {
  if [ -n "$long" ]; then
    TIMEOUT=1800 device_runner "$1" "$2" --quick "$models"
    return
  fi
  for model in $quick_models; do
    device_runner "$1" "$2" --quick --only "$model" "$models" || echo "FAIL  $model"
  done
}
on_target mps2-an386
on_target mps2-an500
on_target corstone300
on_target rv32-virt
if [ -n "$long" ]; then
  on_target mps2-an385
  on_target mps2-an385 CORE=m0plus
  on_target mps2-an505
  on_target mps2-an386 LIBC=picolibc
fi

# ---- boards
# -----------------------------------------------------------------------------------------

refuses_too_much() {
  ! device_make stm32f411 APP=examples/firmware/profile MODEL="$kws" ARENA=200000 NAME=too-much \
    2>"$work/refusal" && grep -q 'will not fit in region' "$work/refusal"
}
prints() {  # prints TEXT BOARD IMAGE...
  wanted=$1
  shift
  ports/run.sh "$@" >"$work/console" && grep -qx "$wanted" "$work/console"
}
for board in $(ls ports/boards); do
  check "firmware for $board" device_make "$board" APP=examples/firmware MODEL="$kws"
  [ -n "$(make -s -f ports/Makefile BOARD="$board" print-machine)" ] || continue
  image=$(device_image "$board" firmware-kws)
  check "firmware on $board" prints 'keyword [0-9]*' "$board" "$image"
done
check "too large an arena does not link" refuses_too_much

# ---- the commands of docs/porting.md
# -----------------------------------------------------------------

commands_work() {
  sed -n '/^```sh$/,/^```$/p' docs/porting.md | grep -v '^```' |
    sed "s|build/|$build/|g" >"$work/commands"
  [ "$(grep -c 'ports/run.sh' "$work/commands")" -ge 3 ] && BUILD=$build sh -e "$work/commands"
}
check "the commands of docs/porting.md" commands_work

# ---- firmware
# ---------------------------------------------------------------------------------------

# Runs the profiling firmware: the arena that it has is enough, and its result is the host's.
firmware() {  # firmware BOARD ARENA MODEL
  device_make "$1" APP=examples/firmware/profile ARENA="$2" MODEL="$3" || return 1
  ports/run.sh "$1" "$(device_image "$1" "profile-$(basename "$3" .tflite)")" -icount shift=0 \
    >"$work/console" || return 1
  cat "$work/console"
  "$build/arenite" run "$3" | grep '^output 0' >"$work/wanted"
  [ -s "$work/wanted" ] && grep '^output 0' "$work/console" | cmp - "$work/wanted" &&
    grep -q '^all: [1-9]' "$work/console"
}
check "keyword spotting on STM32F411, 16 KB arena" firmware stm32f411 16384 "$kws"
if [ -n "$models" ]; then
  optimised=$work/person_detect_rows.tflite
  check "person detection, optimised" "$build/arenite" optimize -o "$optimised" \
    "$models/person_detect.tflite"
  check "person detection on STM32F746, arena below 24 KB" firmware stm32f746 24000 "$optimised"
else
  skip "person detection on STM32F746" "../shared is not here"
fi

# ---- what the plan says is what the device touches
# ---------------------------------------------------

high_water_is_planned() {  # high_water_is_planned BOARD MODEL
  device_make "$1" APP=bench/device MODEL="$2" NAME=high-water || return 1
  ports/run.sh "$1" "$(device_image "$1" high-water)" >"$work/console" || return 1
  planned=$(sed -n 's/^arena //p' "$work/console")
  "$build/arenite" plan --json "$2" | tr -d ' \t' | grep -q "\"arena_bytes\":$planned," || return 1
  [ -n "$planned" ] && grep -qx "high_water $planned" "$work/console"
}
check "high water on a Cortex-M4 is the plan's" high_water_is_planned mps2-an386 "$kws"
# The stack that was measured is within the bound that follows from the compiler's frames.
stack_is_bounded() {
  # shellcheck disable=SC2046
  tools/stack.sh "$build/device/m4-newlib-O2-Os" \
    $("$build/model_ops" "$kws" | sed -n 's/ARN_OP(\(.*\))/\1/p') >"$work/bounds" || return 1
  cat "$work/bounds" "$work/console"
  awk '{ v[$1] = $2 }
    END {
      exit !(v["stack_start"] > 0 && v["stack_start"] <= v["arn_start"] &&
             v["stack_invoke"] > 0 && v["stack_invoke"] <= v["arn_invoke"])
    }' "$work/bounds" "$work/console"
}
check "stack on a Cortex-M4 is within its bound" stack_is_bounded
check "high water on RV32 is the plan's" high_water_is_planned rv32-virt "$kws"
[ -z "$models" ] || check "high water of an optimised file is the plan's" \
  high_water_is_planned mps2-an386 "$optimised"
finish
