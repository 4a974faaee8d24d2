# Sourced by test.sh --long.
SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

check "build with the sanitizers" build CC=clang OPT=-O1 LEVELS= CFLAGS="$SANITIZE" \
  BUILD=build/sanitize all units build/sanitize/mutate
sum "unit tests (sanitizers)" tests/run_units.sh build/sanitize
for path in $PACKS $MODELS; do
  sum "conformance $path (sanitizers)" build/sanitize/conformance --quick "$path"
done
sum "hostile models: examples (sanitizers)" build/sanitize/mutate --rounds 200 examples/kws/kws.tflite
[ -z "$PACKS" ] ||
  sum "hostile models: packs (sanitizers)" build/sanitize/mutate --rounds 1 "$PACKS"/*.pack
[ -z "$PACKS" ] || sum "scattered rows (sanitizers)" build/sanitize/conformance --rows "$PACKS"

check "build without optimisation" build OPT=-O0 LEVELS= BUILD=build/o0 build/o0/conformance
[ -z "$PACKS" ] || sum "conformance $PACKS (-O0)" build/o0/conformance --quick "$PACKS"

for path in $PACKS $MODELS; do
  sum "conformance $path, all planners (sanitizers)" build/sanitize/conformance "$path"
  sum "scattered rows $path (clang)" build/clang/conformance --rows "$path"
done
[ -z "$MODELS" ] || sum "size ladder, every size below 64 KiB" build/conformance --ladder 65536 "$MODELS"
[ -z "$PACKS" ] || sum "hostile models, many rounds" build/sanitize/mutate --rounds 40 --seed 7 "$PACKS"/*.pack
[ -z "$MODELS" ] || sum "hostile models: small real ones" build/sanitize/mutate --rounds 2000 --seed 3 \
  "$MODELS"/hello_world_int8.tflite "$MODELS"/add0.tflite "$MODELS"/pad0.tflite "$MODELS"/vad.tflite
