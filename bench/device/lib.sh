# Sourced by the scripts here: builds and runs bench/device/main.c with a model, and counts.
# Needs BUILD (default build) and, for exact counts, ../shared/tools/icount (a plugin of QEMU).
BUILD=${BUILD:-build}
ICOUNT=../shared/tools/icount/icount.c

bench_board() {  # bench_board TARGET: prints "BOARD CORE"
  case $1 in
    m0plus) echo "mps2-an385 m0plus" ;;
    m3) echo "mps2-an385 m3" ;;
    m4) echo "mps2-an386 m4" ;;
    m7) echo "mps2-an500 m7" ;;
    m55) echo "corstone300 m55" ;;
    rv32) echo "rv32-virt rv32" ;;
    *) return 1 ;;
  esac
}

bench_plugin() {  # makes the plugin, and prints where it is
  plugin=$BUILD/device/libicount.so
  [ -e "$ICOUNT" ] || return 1
  [ -e "$plugin" ] || { mkdir -p "$BUILD/device" &&
    gcc -O2 -shared -fPIC -fvisibility=hidden -o "$plugin" "$ICOUNT"; } || return 1
  echo "$plugin"
}

# Sizes of what the image links of the engine and of C libraries for it: text (with what the C
# compiler calls read-only data), data, bss. The harness (main, ports) and the model are not
# counted.
bench_sizes() {  # bench_sizes MAP
  awk '
    function hex(s,  n, i) {
      n = 0
      s = tolower(substr(s, 3))
      for (i = 1; i <= length(s); i++) n = 16 * n + index("0123456789abcdef", substr(s, i, 1)) - 1
      return n
    }
    /^Linker script and memory map/ { on = 1 }
    !on { next }
    /^ \.[^ ]+$/ { name = $1; next }
    /^ \.[^ ]+ +0x/ { name = $1; at = $2; size = $3; file = $4 }
    /^ +0x[0-9a-f]+ +0x[0-9a-f]+ / && name != "" { at = $1; size = $2; file = $3 }
    name != "" && file ~ /\.a\(/ {
      bytes = hex(size)
      if (name ~ /^\.(text|rodata|srodata|ARM.exidx)/) text += bytes
      else if (name ~ /^\.s?data/) data += bytes
      else if (name ~ /^\.s?bss/) bss += bytes
    }
    { name = "" }
    END { printf "text %d\ndata %d\nbss %d\n", text, data, bss }' "$1"
}

# Turns the console and the marks of a run into "key value" lines.
bench_read() {  # bench_read CONSOLE MARKS
  awk '
    FNR == NR && $1 == "MARK" { tag[++n] = $2; at[n] = $3; next }
    FNR == NR { next }
    $1 == "step" { steps++; op[steps] = $3 " " $2; next }
    $1 == "stack_invoke" { if ($2 > stack) stack = $2; next }
    $1 == "checksum" { sums = sums " " $2; next }
    { print }
    END {
      for (i = 1; i <= n; i++) {
        if (tag[i] == 1) from = at[i]
        if (tag[i] == 7) print "open", at[i] - from - 1
        if (tag[i] == 2) print "start", at[i] - from - 2
        if (tag[i] == 3) from = at[i]
        if (tag[i] == 4 && !hooked) { invokes++; total += at[i] - from - 1 }
        if (tag[i] == 5) { hooked = 1; begin = at[i]; step++ }
        if (tag[i] == 6) {
          split(op[step], words, " ")
          kind[words[1]] += at[i] - begin - 1
          node[op[step]] += at[i] - begin - 1
        }
      }
      if (invokes) printf "invoke %d\n", total / invokes
      print "stack_invoke", stack
      print "checksums" sums
      for (k in kind) print "kind", k, kind[k]
      for (k in node) print "node", k, node[k]
    }' "$2" "$1"
}

# Builds and runs. Prints the lines of bench_read and bench_sizes; returns 1 where something fails.
bench_run() {  # bench_run TARGET MODEL
  set -- "$2" $(bench_board "$1")
  [ $# -eq 3 ] || return 2
  plugin=$(bench_plugin) || { echo "no $ICOUNT: instructions can't be counted" >&2; return 2; }
  name=bench-$3-$(basename "$1" .tflite)
  make -s -j2 -f ports/Makefile BOARD="$2" CORE="$3" APP=bench/device MODEL="$1" NAME="$name" \
    BUILD="$BUILD" $BENCH_FLAGS >&2 || return 1
  out=$BUILD/device/$2/$name
  plugin=$plugin,out=$out/marks$BENCH_PLUGIN
  ports/run.sh "$2" "$out/image.elf" -plugin "$plugin" >"$out/console" || {
    cat "$out/console" >&2
    return 1
  }
  bench_read "$out/console" "$out/marks"
  bench_sizes "$out/image.map"
}
