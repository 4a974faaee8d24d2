# Sourced by the tests of devices: images of the conformance runner, and what they are given to do.

device_packages="gcc-arm-none-eabi libnewlib-arm-none-eabi picolibc-arm-none-eabi
  gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-arm qemu-system-misc"

device_make() {  # device_make BOARD VARIABLE=value...: makes an image
  device_board=$1
  shift
  make -s -j2 -f ports/Makefile BOARD="$device_board" BUILD="$build" "$@"
}

device_image() {  # device_image BOARD NAME
  echo "$build/device/$1/$2/image.elf"
}

device_runner() {  # device_runner BOARD NAME ARGUMENT...: the conformance runner
  device_board=$1
  device_name=$2
  shift 2
  device_elf=$(device_image "$device_board" "$device_name")
  ARGUMENTS="conformance $*" ports/run.sh "$device_board" "$device_elf"
}

# Bare C libraries can't list a folder, and a command line holds a dozen names: packs go in batches.
device_packs() {  # device_packs BOARD NAME OPTION PACK...
  device_head="$1 $2 $3"
  shift 3
  while [ $# -gt 0 ]; do
    device_batch=
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
      [ $# -gt 0 ] || break
      device_batch="$device_batch $1"
      shift
    done
    # shellcheck disable=SC2086
    device_runner $device_head $device_batch || echo "FAIL  exit code with${device_batch##*/} and
    those before"
  done
}

# Adds the counts of all batches up; a fault, or a batch that ended early, is a failure.
device_sum() {
  "$@" >"$work/batches"
  grep -aE '^FAIL|^fault' "$work/batches"
  device_bad=$(grep -acE '^FAIL|^fault' "$work/batches")
  grep -aE '^[0-9]+ passed' "$work/batches" | awk -v bad="$device_bad" '
    { p += $1; f += $3; s += $5 }
    END { print p + 0 " passed, " (f ? f : bad) + 0 " failed, " s + 0 " skipped"; exit (f || bad ||
    !p) }'
}

# The plans of all packs are the same text on the device as on this host.
device_same_plans() {  # device_same_plans BOARD NAME PATH...
  device_packs "$1" "$2" --plans $plan_paths | grep -av ' passed, ' >"$work/plans-device"
  # shellcheck disable=SC2086
  "$build/conformance" --plans $plan_paths | grep -av ' passed, ' >"$work/plans-host"
  [ -s "$work/plans-host" ] && cmp "$work/plans-device" "$work/plans-host"
}
