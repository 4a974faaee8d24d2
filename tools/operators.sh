#!/bin/sh
# Writes docs/operators.md anew. Usage: tools/operators.sh [BUILD [FILE]]
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
file=${2:-docs/operators.md}
make -s BUILD="$build" "$build/opdoc" >&2 || exit 1
LC_ALL=C
export LC_ALL
"$build/opdoc" docs/ops/*.md <docs/operators.in.md >"$file.new" && mv "$file.new" "$file"
