# Sourced by test.sh --long.
[ -z "$PACKS" ] || sum "scattered rows (sanitizers)" build/sanitize/conformance --rows "$PACKS"
for path in $PACKS $MODELS; do
  sum "conformance $path, all planners (sanitizers)" build/sanitize/conformance "$path"
  sum "scattered rows $path (clang)" build/clang/conformance --rows "$path"
done
[ -z "$PACKS" ] || sum "row plans over $PACKS, dead rows overwritten" build/conformance --optimised "$PACKS"
[ -z "$MODELS" ] || sum "optimised files over $MODELS (sanitizers)" build/sanitize/conformance --optimised "$MODELS"
[ -z "$MODELS" ] || sum "size ladder, every size below 64 KiB" build/conformance --ladder 65536 "$MODELS"
[ -z "$PACKS" ] || sum "hostile models, many rounds" build/sanitize/mutate --rounds 40 --seed 7 "$PACKS"/*.pack
[ -z "$MODELS" ] || sum "hostile models: small real ones" build/sanitize/mutate --rounds 2000 --seed 3 \
  "$MODELS"/hello_world_int8.tflite "$MODELS"/add0.tflite "$MODELS"/pad0.tflite "$MODELS"/vad.tflite
check "build the fuzz targets" build fuzz
for target in model csv npy plan tables; do
  mkdir -p build/libfuzzer/new/$target
  check "fuzzing: $target, 5 minutes" build/libfuzzer/fuzz/$target -max_total_time=300 \
    -timeout=30 -max_len=4096 build/libfuzzer/new/$target tests/fuzz/corpus/$target
done
sum "devices: all models on all targets" sh tests/cli/test_device.sh build --long
