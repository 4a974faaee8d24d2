# Sourced by test.sh --long.
for path in $PACKS $MODELS; do
  sum "conformance $path, all planners (sanitizers)" build/sanitize/conformance "$path"
  sum "scattered rows $path (clang)" build/clang/conformance --rows "$path"
done
[ -z "$MODELS" ] || sum "size ladder, every size below 64 KiB" build/conformance --ladder 65536 "$MODELS"
