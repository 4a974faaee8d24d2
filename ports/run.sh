#!/bin/sh
# Runs an image in QEMU: ports/run.sh BOARD IMAGE [QEMU OPTION]...
# The console is on stdout; the exit code is that of the program. TIMEOUT (seconds) ends what hangs.
# ARGUMENTS are handed to the program as its command line.
board=$1
image=$2
shift 2
machine=$(make -s -f ports/Makefile BOARD="$board" print-machine)
set -- $machine -- "$@"
case ${1:-} in
  --)
    echo "no machine simulates $board" >&2
    exit 2
    ;;
  virt) qemu="qemu-system-riscv32 -machine virt -bios none" ;;
  *) qemu="qemu-system-arm -machine $1" ;;
esac
shift
if [ "$1" = yes ]; then  # the machine looks for vectors at 0, where this board has no memory
  arm-none-eabi-objcopy -O binary -j .text "$image" "$image.text" || exit 1
  head -c 64 "$image.text" >"$image.boot"
  qemu="$qemu -device loader,file=$image.boot,addr=0,force-raw=on"
  shift
fi
shift
semihosting="-chardev stdio,id=console,signal=off
  -semihosting-config enable=on,target=native,chardev=console"
for argument in $ARGUMENTS; do semihosting="$semihosting,arg=$argument"; done
# shellcheck disable=SC2086
exec timeout "${TIMEOUT:-300}" $qemu -display none -monitor none -serial none -net none \
  $semihosting -kernel "$image" "$@" </dev/null 2>/dev/null
