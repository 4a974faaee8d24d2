#!/bin/sh
# Runs every unit test program of a build folder and sums up cmocka's counts: run_units.sh BUILD
build=${1:-build}
passed=0
failed=0
skipped=0
for program in "$build"/unit/test_*; do
  [ -x "$program" ] || continue
  case $program in *.d|*.o) continue ;; esac
  output=$("$program" 2>&1)
  code=$?
  ok=$(printf '%s\n' "$output" | sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' | tail -n 1)
  bad=$(printf '%s\n' "$output" | grep -c '^\[  FAILED  \] [a-z_]')
  skip=$(printf '%s\n' "$output" | sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' | tail -n 1)
  passed=$((passed + ${ok:-0}))
  failed=$((failed + bad))
  skipped=$((skipped + ${skip:-0}))
  if [ "$code" -ne 0 ]; then
    printf '%s\n' "$output" | tail -n 40
    [ "$bad" -gt 0 ] || failed=$((failed + 1))
  fi
  printf '%s\n' "$output" | grep -i '^skip' | head -n 5
  printf '  %-32s %s passed, %s failed\n' "$(basename "$program")" "${ok:-0}" "$bad"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
