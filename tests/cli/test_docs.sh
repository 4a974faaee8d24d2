#!/bin/sh
# docs/operators.md is what tools/operators.sh makes of this repository. Usage: test_docs.sh BUILD
build=${1:-build}
packs=../shared/opcases/public
. tests/lib/count.sh
work=$(mktemp -d)
trap 'rm -rf "$work" "$LOG"' EXIT

is_current() {
  tools/operators.sh "$build" "$work/operators.md" && diff docs/operators.md "$work/operators.md"
}
lists_every_operator() {
  listed=$(grep -c '^| [A-Za-z_0-9]* | \(custom\|[0-9]*\) |' docs/operators.md)
  [ "$listed" -gt 0 ] && [ "$listed" -eq "$(grep -c '^ARN_OP(' include/arenite/ops.def)" ]
}
links_lead_somewhere() {
  grep -o '](ops/[^)#]*' docs/operators.md | sed 's/](//' | LC_ALL=C sort -u >"$work/links"
  [ -s "$work/links" ] || return 1
  while read -r link; do
    [ -e "docs/$link" ] || { echo "docs/$link is missing" && return 1; }
  done <"$work/links"
}
# Each has a row with a link in its last cell, and the page names it.
every_operator_has_a_page() {
  grep '^| [A-Za-z_0-9]* | \(custom\|[0-9]*\) |' docs/operators.md >"$work/rows"
  ! grep -v '](ops/[a-z_]*\.md) |$' "$work/rows"
}
# Every name of src/model/names.c stands in the matrix, in the table of StableHLO, or among those not run.
every_code_is_accounted_for() {
  sed -n '/^const char \*arn_code_name/,$p' src/model/names.c | grep -o '"[A-Z0-9_]*"' | tr -d '"' |
    while read -r name; do
      short=${name#STABLEHLO_}
      grep -q "^| $name | [0-9]* |" docs/operators.md || grep -q "^| .*\<$name\>.* | [a-z]" docs/operators.md ||
        { [ "$short" != "$name" ] && sed -n '/^| STABLEHLO_/,/^$/p' docs/operators.md | grep -q "\<$short\>"; } ||
        echo "$name"
    done >"$work/missing"
  [ ! -s "$work/missing" ] || { cat "$work/missing" && return 1; }
}
# Both ways: what is accepted has a reason, and what has a reason is accepted.
accepted_have_reasons() {
  "$build/conformance" --quick "$packs" | sed -n 's/^accepted \([A-Za-z0-9_]*\):.*/\1/p' |
    LC_ALL=C sort >"$work/accepted"
  sed -n 's/^| `\([A-Za-z0-9_]*_[0-9]\{4\}\)` |.*/\1/p' docs/operators.md | LC_ALL=C sort |
    diff - "$work/accepted"
}

check "docs/operators.md is current" is_current
check "docs/operators.md lists every operator" lists_every_operator
check "links of docs/operators.md" links_lead_somewhere
check "every operator has a page that names it" every_operator_has_a_page
check "every operator of the schema is run, or has a reason" every_code_is_accounted_for
if [ -d "$packs" ] && [ -x "$build/conformance" ]; then
  check "accepted mutations have a reason" accepted_have_reasons
else
  skip "accepted mutations have a reason" "$packs or $build/conformance is not here"
fi
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
