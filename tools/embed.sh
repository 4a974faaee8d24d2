#!/bin/sh
# Prints the C source of host_web_assets: the bytes of the given files. Usage: embed.sh FILE...
echo '// Made by tools/embed.sh.'
echo '#include "host/report/web_assets.h"'
count=0
for file; do
  echo "static const unsigned char asset_$count[] = {"
  od -An -v -tu1 "$file" | sed 's/^ *//; s/  */,/g; s/$/,/'
  echo '0};'
  count=$((count + 1))
done
echo 'const host_web_asset host_web_assets[] = {'
count=0
for file; do
  echo "  {\"$(basename "$file")\", asset_$count, sizeof asset_$count - 1},"
  count=$((count + 1))
done
echo '  {NULL, NULL, 0}};'
