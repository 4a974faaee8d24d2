#!/bin/sh
# Bounds the stack of each public call: tools/stack.sh FOLDER [OPERATOR]...
#   FOLDER    of the engine's objects: build/device/m4-newlib-O2-Os, say (made by ports/Makefile)
#   OPERATOR  records of include/arenite/ops.def that an application lists; default: all
# Takes frames and calls from the compiler (-fcallgraph-info=su), and what function pointers may
# point to from the relocations of the objects: the engine calls operators through their records,
# and plans of files through arn_file_plans; within a file of src/ops or src/kernels a pointer may
# be any function whose address that file takes, or that is in a table behind the `kinds` of a
# listed record. What an application
# gives (hooks, streams) is its own, and C library functions come on top. A function that can be
# entered again on the way ("again" in the output; the engine sees to it that it is entered once
# more at most) counts once more.
folder=$1
[ -d "$folder/src" ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
shift
objdump=arm-none-eabi-objdump
case $folder in */rv32*) objdump=riscv64-unknown-elf-objdump ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$folder/src" -name '*.ci' | LC_ALL=C sort | xargs cat >"$work/graph"
find "$folder/src" -name '*.o' | LC_ALL=C sort | while read -r object; do
  echo "file ${object#"$folder/"}" | sed 's/\.o$/.c/'
  "$objdump" -r "$object" | grep -vE 'CALL|JUMP|PCREL|RELAX|ADD|SUB|BRANCH|RVC'
done >"$work/taken"

awk -v listed="$*" '
  function quoted(key,  at, rest) {  # the text behind key, in quotes
    at = index($0, key " \"")
    rest = substr($0, at + length(key) + 2)
    return substr(rest, 1, index(rest, "\"") - 1)
  }
  function resolve(file, name) { return (file ":" name) in bytes ? file ":" name : name }
  function slot_of(offset) {
    return offset ~ /10$/ ? "kinds" : offset ~ /14$/ ? "prepare" : offset ~ /18$/ ? "rows" : "eval"
  }

  # Adds to found[key] the functions that `owner` (code:FILE, or FILE:TABLE) refers to, and those of
  # the tables that it refers to.
  function collect(key, owner,  i, n, parts) {
    if ((key, owner) in seen) return
    seen[key, owner] = 1
    n = split(refs[owner], parts, " ")
    for (i = 1; i <= n; i++) {
      if (!(parts[i] in bytes)) collect(key, table_of(owner, parts[i]))
      else if (!((key, parts[i]) in noted)) {
        noted[key, parts[i]] = 1
        found[key] = found[key] " " parts[i]
      }
    }
  }
  function table_of(owner, name,  f) {
    f = owner
    sub(/^code:/, "", f)
    sub(/:.*$/, "", f)
    return (f ":" name) in refs ? f ":" name : public[name]
  }

  function again(from, name) {
    print "again: " name " from " from
    return bytes[name]
  }

  # The most below `name`, and in next_of[name] where that goes.
  function depth(name,  i, n, parts, most, d, via) {
    if (name in done) return done[name]
    active[name] = 1
    most = 0
    n = split(calls[name], parts, " ")
    for (i = 1; i <= n; i++) {
      d = parts[i] in active ? again(name, parts[i]) : depth(parts[i])
      if (d > most) { most = d; via = parts[i] in active ? "" : parts[i] }
    }
    if (name in pointers) {
      n = split(targets(name), parts, " ")
      for (i = 1; i <= n; i++) {
        if (parts[i] in active) continue
        d = depth(parts[i])
        if (d > most) { most = d; via = parts[i] }
      }
    }
    delete active[name]
    next_of[name] = via
    return done[name] = bytes[name] + most
  }
  function targets(name,  f) {
    f = where[name]
    if (name in planned) return planned[name]
    if (f ~ /^src\/runtime\/prepare/) return slots["prepare"]
    if (f ~ /^src\/runtime\/invoke/) return slots["eval"] slots["rows"]
    if (f ~ /^src\/plan\/builder|^src\/runtime\/(row_start|pace)/) return slots["rows"]
    if (f ~ /^src\/runtime\/inspect/) return slots["prepare"] slots["rows"]
    if (f ~ /^src\/model/) f = "src/graph/infer.c"
    collect(f, "code:" f)
    return f ~ /^src\/(ops|kernels)/ ? found[f] found["kinds"] : found[f]
  }
  function report(name,  at, chain, first) {
    if (!(name in bytes)) return
    first = bytes[name]
    printf "%-18s %5d  ", name, depth(name)
    for (at = next_of[name]; at != ""; at = next_of[at]) {
      name = at
      sub(/^.*:/, "", name)
      chain = chain " > " name " " bytes[at]
    }
    print first chain
  }

  BEGIN {
    n = split(listed, list, " ")
    for (i = 1; i <= n; i++) wanted["arn_op_" list[i]] = 1
    all = n == 0
  }
  FILENAME ~ /graph$/ && /^node:/ && / bytes \(/ {
    name = quoted("title:")
    label = quoted("label:")
    split(label, line, "\\\\n")
    bytes[name] = line[3] + 0
    sub(/:[0-9:]*$/, "", line[2])
    where[name] = line[2]
    next
  }
  FILENAME ~ /graph$/ && /^edge:/ {
    from = quoted("sourcename:")
    to = quoted("targetname:")
    if (to == "__indirect_call") pointers[from] = 1
    else calls[from] = calls[from] " " to
    next
  }
  $1 == "file" { file = $2; next }
  /^RELOCATION RECORDS FOR/ {
    owner = $4
    gsub(/^\[|\]:$/, "", owner)
    debug = owner !~ /^\.(text|rodata|data)/
    record = owner ~ /\.arn_op_/ ? owner : ""
    sub(/^.*\./, "", record)
    if (owner ~ /^\.text/) owner = "code:" file
    else {
      sub(/^\.(rodata|data\.rel\.ro|data\.rel\.ro\.local|data)\./, "", owner)
      if (owner ~ /^arn_/) public[owner] = file ":" owner
      owner = file ":" owner
    }
    next
  }
  NF == 3 && !debug {
    name = $3
    sub(/^\.(text|rodata|data\.rel\.ro|data\.rel\.ro\.local|data)\./, "", name)
    sub(/[+-]0x[0-9a-f]*$/, "", name)
    name = resolve(file, name)
    if (record == "") refs[owner] = refs[owner] " " name
    else if ((all || record in wanted) && slot_of($1) == "kinds") kinds[file, name] = file
    else if ((all || record in wanted) && name in bytes) {
      slots[slot_of($1)] = slots[slot_of($1)] " " name
      of[record, slot_of($1)] = name
      records[record] = 1
    }
  }
  END {
    for (k in kinds) {
      split(k, part, SUBSEP)
      collect("kinds", table_of(part[1] ":", part[2]))
    }
    for (r in records) if (r ~ /^arn_op_(if|while|call_once|stablehlo_composite)$/) {
      planned["arn__run_node"] = slots["eval"] slots["rows"] " src/runtime/control.c:run"
      planned["arn__depths"] = "arn__calls_depths"
    }
    for (r in records) if (r == "arn_op_var_handle") {
      v = "src/runtime/variables.c:"
      planned["src/runtime/start.c:take_data"] = v "take " v "share"
      planned["arn_reset"] = "src/runtime/variables.c:kind"
    }
    planned["arn_invoke"] = "arn__plans_run"
    planned["arn__starter_run"] = "src/runtime/plans.c:open arn__plans_start"
    planned["arn_start"] = "src/runtime/plans.c:lacks_callback"
    planned["src/runtime/prepare.c:plan"] = "arn__plans_place"
    split("arn_model_open arn_start arn_measure arn_invoke arn_reset", entries, " ")
    for (i = 1; i <= 5; i++) report(entries[i])
    for (r in records) {
      printf "%s prepare %d eval %d\n", substr(r, 8), depth(of[r, "prepare"]),
        depth(of[r, "eval"]) | "LC_ALL=C sort"
    }
    close("LC_ALL=C sort")
  }' "$work/graph" "$work/taken"
