# Sourced by test.sh: runs checks and counts them.
#   check NAME COMMAND...   one check: passes where the command exits with 0
#   sum NAME COMMAND...     a runner that closes with "N passed, N failed[, N skipped]": its counts are
#                           added; no such line, or an exit code that does not fit, is a failure
PASSED=0
FAILED=0
SKIPPED=0
LOG=$(mktemp)
trap 'rm -f "$LOG"' EXIT

check() {
  name=$1
  shift
  if "$@" >"$LOG" 2>&1; then
    PASSED=$((PASSED + 1))
    echo "ok    $name"
  else
    FAILED=$((FAILED + 1))
    echo "FAIL  $name"
    tail -n 30 "$LOG"
  fi
}

sum() {
  name=$1
  shift
  "$@" >"$LOG" 2>&1
  code=$?
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$LOG" | tail -n 1)
  if [ -z "$line" ]; then
    FAILED=$((FAILED + 1))
    echo "FAIL  $name (exit code $code, no counts)"
    tail -n 30 "$LOG"
    return
  fi
  passed=${line%% passed*}
  rest=${line#* passed, }
  failed=${rest%% failed*}
  case $rest in *skipped*) skipped=${rest#*failed, } skipped=${skipped%% skipped*} ;; *) skipped=0 ;; esac
  [ "$code" -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
  PASSED=$((PASSED + passed))
  FAILED=$((FAILED + failed))
  SKIPPED=$((SKIPPED + skipped))
  echo "$([ "$failed" -eq 0 ] && echo ok || echo FAIL)    $name: $line"
  [ "$failed" -eq 0 ] || grep -E 'FAIL|\[  FAILED|ERROR' "$LOG" | head -n 30
}

skip() {
  SKIPPED=$((SKIPPED + 1))
  echo "skip  $1: $2"
}
