# Runs what a page shows: every line "$ command" of its ```console blocks; the lines below must be what the
# command prints. And every number of three digits or more in the prose must be among those printed on the
# page, among its commands, or in a comment <!-- given: ... -->.
#   awk -v build=build [-v write=1] [-v without="shared qemu"] -f tests/lib/console.awk PAGE
# write: prints the page with what the commands print now. without: what is not here; blocks marked with such
# a word ("```console shared") are skipped, and so are the numbers of a page that has such blocks. given=all: the
# numbers of the prose are checked elsewhere.

function remember(text,   parts, n, i) {
  gsub(/,/, "", text)
  n = split(text, parts, /[^0-9]+/)
  for (i = 1; i <= n; i++) if (parts[i] != "") known[parts[i]] = 1
}
function flush(   line, got, run) {
  if (command == "") return
  run = command
  gsub(/build\//, build "/", run)
  got = ""
  run = "{ " run " ; } 2>&1"
  while ((run | getline line) > 0) {
    gsub(build "/", "build/", line)
    got = got line "\n"
  }
  close(run)
  remember(got)
  remember(command)
  if (write) printf "%s", got
  else if (got == want) passed++
  else {
    failed++
    printf "FAIL %s: $ %s\n--- page\n%s--- now\n%s", FILENAME, command, want, got
  }
  command = want = ""
}
function prose(line,   words, n, i, word) {
  n = split(line, words, /[ \t|()]+/)
  for (i = 1; i <= n; i++) {
    word = words[i]
    gsub(/^[*_"`]+|[*_.,;:%"`]+$/, "", word)
    if (word ~ /^[0-9][0-9,]*[0-9]$/) {
      gsub(/,/, "", word)
      if (length(word) >= 3) claimed[word] = FNR
    }
  }
}
/^```console/ { inside = 1; skip = ($2 != "" && index(" " without " ", " " $2 " ")); if (skip) skipped++; if (write) print; next }
/^```/ && inside { if (!skip) flush(); inside = 0; if (write) print; next }
inside && skip { if (write) print; next }
inside && /^\$ / { flush(); command = substr($0, 3); if (write) print; next }
inside { want = want $0 "\n"; next }
/^<!-- given:/ { remember($0) }
/^```/ { listing = !listing }
{ if (write) print; if (!listing && !/^<!--/) prose($0) }
END {
  if (!write) {
    for (number in claimed) {
      if (skipped || given == "all") break
      if (number in known) passed++
      else {
        failed++
        printf "FAIL %s:%d: %s is printed by no command of this page\n", FILENAME, claimed[number], number
      }
    }
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0
  }
}
