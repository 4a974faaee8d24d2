# Sourced by the tests of commands, after $work is there.
#   exits CODE COMMAND...   passes where the command exits with CODE; output in $work/out, $work/err
exits() {
  want=$1
  shift
  "$@" >"$work/out" 2>"$work/err"
  code=$?
  [ "$code" -eq "$want" ] || { echo "exit code $code, want $want"; cat "$work/out" "$work/err"; return 1; }
}
