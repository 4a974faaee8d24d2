#!/bin/sh
# What the sources must look like: columns, sizes, layers, words.
. tests/lib/count.sh

sources() { find include src host tests bench tools examples ports -name '*.[ch]' 2>/dev/null; }
fits_100_columns() { ! sources | xargs grep -nE '^.{101,}'; }
files_are_short() { ! sources | xargs wc -l | awk '$2 != "total" && $1 > 700' | grep .; }
headers_are_short() { ! sources | grep '\.h$' | xargs wc -l | awk '$2 != "total" && $1 > 300' | grep .; }
nothing_is_left_undone() { ! sources | xargs grep -nwE 'TODO|FIXME|HACK'; }

# includes FOLDER: "file folder" for what the files of src/FOLDER include of src/.
includes() {
  grep -o '#include "\.\./[^"]*' -r "src/$1" | while IFS=: read -r file line; do
    path=$(realpath -m --relative-to=src "$(dirname "$file")/${line#*\"}")
    echo "$file ${path%%/*}"
  done
}
only() { ! includes "$1" | grep -vE " ($2)\$"; }  # FOLDER ALLOWED|...
src_knows_no_host() { ! grep -nE '#include "(\.\./)*(host|tests|tools)/' -r src include; }
kernels_have_no_if_in_functions() {
  ! grep -rlE '^(  +)?#if' src/ops src/graph src/plan src/arena | grep '\.c$' | while read -r file; do
    awk '/^[a-z].*\{$/ { inside = 1 } /^\}/ { inside = 0 } inside && /^ *#if/ { print FILENAME ":" FNR }' "$file"
  done | grep .
}

check "lines of at most 100 columns" fits_100_columns
check "files of at most 700 lines" files_are_short
check "headers of at most 300 lines" headers_are_short
check "nothing is left undone" nothing_is_left_undone
check "src includes nothing of host" src_knows_no_host
check "layer: model" only model model
check "layer: graph" only graph 'model|graph'
check "layer: kernels" only kernels kernels
check "layer: plan" only plan 'model|graph|arena|plan'
check "layer: ops" only ops 'model|graph|kernels|ops'
check "no #if inside a function" kernels_have_no_if_in_functions
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
