#!/bin/sh
# Writes what the commands of the handbook print now into its pages: tools/handbook.sh [BUILD]
cd "$(dirname "$0")/.." || exit 1
for page in docs/handbook/*.md; do
  awk -v build="${1:-build}" -v write=1 -f tests/lib/console.awk "$page" >"$page.new" && mv "$page.new" "$page" || exit 1
done
