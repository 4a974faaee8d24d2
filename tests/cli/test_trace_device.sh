#!/bin/sh
# Checksums of every tensor on simulated bare machines against the host's, and error records of five
# numbers explained. Usage: test_trace_device.sh BUILD
build=${1:-build}
. tests/lib/count.sh
. tests/lib/device.sh
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT
arenite=$build/arenite
kws=examples/kws/kws.tflite
shared=../shared/models

trace_on() {  # trace_on BOARD MODEL: as many tensors as nodes write, none of them different
  device_make "$1" APP=examples/firmware/trace MODEL="$2" || return 1
  ports/run.sh "$1" "$(device_image "$1" "trace-$(basename "$2" .tflite)")" >"$work/device" || return 1
  "$arenite" trace --invocations 2 --against "$work/device" "$2" >"$work/host"
  code=$?
  lines=$(grep -c '^[0-9]' "$work/device")
  tail -n 2 "$work/host"
  [ "$code" -eq 0 ] && [ "$lines" -gt 0 ] && grep -q ": $lines equal, 0 differ" "$work/host"
}
wrong_bytes_are_noticed() {  # one digit of one line changed
  sed '3s/.$/x/; 3s/[0-9a-f]x$/00/' "$work/device" >"$work/changed"
  "$arenite" trace --invocations 2 --against "$work/changed" "$1" >"$work/host" 2>&1
  [ $? -eq 1 ] && grep -q 'the first difference: invocation 0' "$work/host"
}
error_is_explained() {  # an arena that is too small: its record leads back to its size
  device_make "$1" APP=examples/firmware/trace MODEL="$kws" ARENA=2000 NAME=trace-small || return 1
  ports/run.sh "$1" "$(device_image "$1" trace-small)" >"$work/device"
  record=$(sed -n 's/^error //p' "$work/device")
  echo "the device says $record"
  "$arenite" explain "$record" "$kws" >"$work/explained" || { cat "$work/explained"; return 1; }
  grep 'the arena had' "$work/explained"
  grep -q 'the arena had 2000 bytes' "$work/explained"
}

if ! command -v arm-none-eabi-gcc >/dev/null || ! command -v qemu-system-arm >/dev/null; then
  skip "traces on devices" "cross compiler or QEMU is not here (test_device.sh installs them)"
else
  check "trace on Cortex-M4: kws" trace_on mps2-an386 "$kws"
  check "trace: wrong bytes are noticed" wrong_bytes_are_noticed "$kws"
  check "explain: the record of a Cortex-M4 whose arena is too small" error_is_explained mps2-an386
  if command -v riscv64-unknown-elf-gcc >/dev/null && command -v qemu-system-riscv32 >/dev/null; then
    check "trace on RV32: kws" trace_on rv32-virt "$kws"
  else
    skip "trace on RV32" "cross compiler or QEMU is not here"
  fi
  if [ -d "$shared" ]; then
    for model in keyword_scrambled_8bit str_ww_ref_model; do
      check "trace on Cortex-M4: $model" trace_on mps2-an386 "$shared/$model.tflite"
    done
  else
    skip "traces of further models" "../shared is not here"
  fi
fi
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
