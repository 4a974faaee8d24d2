# Sourced: builds the library and applications for size.
#   size_targets                       the targets whose compilers are here
#   size_library TARGET BUILD          the library, into BUILD/size-TARGET
#   size_image TARGET BUILD FILE OP... an application that lists these operators, none if none is named
#   size_text TARGET FILE              bytes of code and constants of an image
#   size_symbols TARGET FILE...        external names defined in it, with the file's name behind each
# m32: the C library is not part of the image; cortex-m4: it is (newlib-nano), as far as needed.
size_set() {
  case $1 in
    m32) prefix= flags="-m32 -Os" more="-fno-pie -fno-asynchronous-unwind-tables" link=-no-pie ;;
    cortex-m4)
      prefix=arm-none-eabi- flags="-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -Os"
      more= link="--specs=nano.specs --specs=nosys.specs" ;;
    *) return 1 ;;
  esac
}

size_targets() {
  echo 'int main(void) { return 0; }' | gcc -m32 -x c - -o /dev/null 2>/dev/null && echo m32
  echo 'int main(void) { return 0; }' |
    arm-none-eabi-gcc --specs=nano.specs --specs=nosys.specs -x c - -o /dev/null 2>/dev/null &&
    echo cortex-m4
}

size_library() {
  size_set "$1" || return 1
  # Warnings are the business of the other builds.
  make -s -j2 CC="${prefix}gcc" AR="${prefix}ar" OPT= LEVELS= CFLAGS="$flags $more -g0 -w -Wno-error" \
    BUILD="$2/size-$1" "$2/size-$1/libarenite.a"
}

size_image() {
  size_set "$1" || return 1
  target=$1 build=$2 file=$3
  shift 3
  ops=
  for op in "$@"; do ops="$ops OP($op)"; done
  # shellcheck disable=SC2086
  "${prefix}gcc" $flags $more -std=c11 -Iinclude -ffunction-sections -fdata-sections "-DOPS=$ops" \
    tools/size_app.c "$build/size-$target/libarenite.a" -Wl,--gc-sections $link -lm -o "$file" \
    2>"$file.log" || { cat "$file.log" >&2 && return 1; }
}

size_text() {
  size_set "$1" && "${prefix}size" "$2" | awk 'NR == 2 { print $1 }'
}

size_symbols() {
  size_set "$1" || return 1
  shift
  "${prefix}nm" -A -g --defined-only "$@" | awk '{ file = $1; sub(/:.*/, "", file); print $NF, file }' |
    LC_ALL=C sort
}
