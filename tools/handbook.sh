#!/bin/sh
# Writes what the commands of the README and the handbook print now into these pages: tools/handbook.sh [BUILD]
cd "$(dirname "$0")/.." || exit 1
for page in README.md docs/handbook/*.md; do
  awk -v build="${1:-build}" -v write=1 -f tests/lib/console.awk "$page" >"$page.new" && mv "$page.new" "$page" || exit 1
done
