#!/bin/sh
# Every command of the handbook, what it prints, and every number in the text.
build=${1:-build}
. tests/lib/count.sh
without=
lacks() {  # lacks WORD REASON
  without="$without $1"
  skip "blocks of the handbook marked $1" "$2"
}
[ -d ../shared/models ] || lacks shared "../shared is not here"
command -v qemu-system-arm >/dev/null && command -v arm-none-eabi-gcc >/dev/null ||
  lacks qemu "no emulator or no cross compiler"
for page in docs/handbook/*.md; do
  sum "$page" awk -v build="$build" -v without="$without" -f tests/lib/console.awk "$page"
done
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
