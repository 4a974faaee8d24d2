#!/bin/sh
# Prints device.csv next to baseline.csv, with ratios and their geometric means.
cd "$(dirname "$0")" || exit 1
awk -F, '
  function mean(key) { return count[key] ? exp(logs[key] / count[key]) : 0 }
  function note(key, ratio) { if (ratio > 0) { logs[key] += log(ratio); count[key]++ } }
  FNR == 1 { next }
  FILENAME ~ /baseline/ {
    if ($3 == "cmsis-nn" || $1 == "rv32") {
      key = $1 "," $2
      macs[key] = $4; invoke[key] = $5; start[key] = $6; arena[key] = $7; text[key] = $9
      if ($10 != "") text[key] = $10
    }
    next
  }
  !(($1 "," $2) in invoke) { next }
  !header++ {
    printf "%-5s %-24s %-5s %11s %7s %5s %9s %5s %7s %5s %6s %5s\n", "core", "model", "file",
      "invoke", "per MAC", "ratio", "start", "ratio", "text", "ratio", "arena", "stack"
  }
  {
    key = $1 "," $2
    group = $1 "," $3
    if (!(group in seen)) { seen[group] = 1; order[++groups] = group }
    note(group ",invoke", $6 / invoke[key])
    note(group ",start", $5 / start[key])
    note(group ",text", $10 / text[key])
    note(group ",arena", $7 / arena[key])
    printf "%-5s %-24.24s %-5s %11d %7.3f %5.2f %9d %5.2f %7d %5.2f %6d %5d\n", $1, $2, $3, $6,
      $6 / macs[key], $6 / invoke[key], $5, $5 / start[key], $10, $10 / text[key], $7,
      ($8 > $9 ? $8 : $9)
  }
  END {
    print "\ngeometric means against CMSIS-NN (rv32: TFLite Micro reference kernels)"
    for (i = 1; i <= groups; i++) {
      printf "%-12s invoke %.3f  start %.3f  text %.3f  arena %.3f\n", order[i],
        mean(order[i] ",invoke"), mean(order[i] ",start"), mean(order[i] ",text"),
        mean(order[i] ",arena")
    }
  }' baseline.csv device.csv
