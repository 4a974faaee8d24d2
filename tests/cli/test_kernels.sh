#!/bin/sh
# Kernels for Cortex-M (src/kernels/dsp, mve) under QEMU: random shapes give the same bytes as the portable
# kernels. Usage: test_kernels.sh BUILD
build=${1:-build}
. tests/lib/count.sh
out=$build/kernels
FLAGS="-mthumb -std=c11 -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes
  -Wstrict-prototypes -Werror -Iinclude -I. -ffunction-sections -fdata-sections"
LINK="-T tests/kernels/arm.ld -nostartfiles --specs=nano.specs --specs=nosys.specs -Wl,--gc-sections -lm"

image() {  # image NAME FLAGS...
  label=$1
  shift
  # shellcheck disable=SC2046,SC2086
  arm-none-eabi-gcc "$@" $FLAGS tests/kernels/*.c $(find src/kernels -name '*.c') $LINK \
    -o "$out/$label.elf"
}
run() {  # run NAME MACHINE
  timeout 120 qemu-system-arm -machine "$2" -display none -monitor none -serial none -net none \
    -semihosting-config enable=on,target=native -kernel "$out/$1.elf" </dev/null 2>&1
}
compare() {  # compare NAME MACHINE FLAGS...
  target=$1 machine=$2
  shift 2
  check "kernels: image for $target" image "$target" "$@"
  sum "kernels: random shapes on $target" run "$target" "$machine"
}

mkdir -p "$out"
if command -v qemu-system-arm >/dev/null &&
    echo 'int main(void) { return 0; }' |
      arm-none-eabi-gcc --specs=nano.specs --specs=nosys.specs -x c - -o /dev/null 2>/dev/null; then
  m4="-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16"
  # shellcheck disable=SC2086
  for level in -O2 -Os; do compare "m4$level" mps2-an386 $m4 $level; done
  compare m7-O3 mps2-an500 -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16 -O3
  m55="-mcpu=cortex-m55 -mfloat-abi=hard -fno-if-conversion2"  # see ports/cores/m55.mk
  # shellcheck disable=SC2086
  for level in -O2 -Os; do compare "m55$level" mps3-an547 $m55 $level; done
else
  skip "kernels on devices" "no QEMU, or no compiler for Arm"
fi
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
