# Sourced by test.sh --long.
for path in $PACKS $MODELS; do
  sum "conformance $path, all planners (sanitizers)" build/sanitize/conformance "$path"
  sum "scattered rows $path (clang)" build/clang/conformance --rows "$path"
done
[ -z "$MODELS" ] || sum "size ladder, every size below 64 KiB" build/conformance --ladder 65536 "$MODELS"
[ -z "$PACKS" ] || sum "hostile models, many rounds" build/sanitize/mutate --rounds 40 --seed 7 "$PACKS"/*.pack
[ -z "$MODELS" ] || sum "hostile models: small real ones" build/sanitize/mutate --rounds 2000 --seed 3 \
  "$MODELS"/hello_world_int8.tflite "$MODELS"/add0.tflite "$MODELS"/pad0.tflite "$MODELS"/vad.tflite
