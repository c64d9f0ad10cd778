#!/usr/bin/env bash
# Seeds the faults of faults.txt one at a time in a copy of the core, and expects the tests of the ops to fail at each.
# A fault that survives names a missing test. Slow (a build and a test run a fault), so it is started by hand:
#   tests/mutants/run.sh [first row] [last row]
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
copy="$root/build/mutants"
first="${1:-1}" last="${2:-999}"
jobs="${JOBS:-2}"

mkdir -p "$copy/tests"
rm -rf "$copy/wasm" "$copy/shaders" "$copy"/tests/*
cp -r "$root/wasm" "$root/shaders" "$copy/"
cp -r "$root"/tests/{main.cpp,op_cases.h,reference,ops,core,optim} "$copy/tests/"
cp "$root/tests/mutants/CMakeLists.txt" "$copy/"
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S "$copy" -B "$copy/build" -G Ninja "${launcher[@]}" >/dev/null

build() { cmake --build "$copy/build" --target tests -j "$jobs" >"$copy/build.log" 2>&1; }
# Faults in shaders and in the device around them can be seen only on webgl; all others are looked for without it.
run_tests() {
  local filter='~[webgl]'
  case "$1" in shaders/* | wasm/webgl/*) filter='[webgl]' ;; esac
  LP_NUM_THREADS=0 timeout 600 "$copy/build/tests" "$filter" --abort >"$copy/test.log" 2>&1
}

build || { tail -20 "$copy/build.log"; echo "the copy does not build"; exit 2; }
for file in wasm/ops shaders/; do
  run_tests "$file" || { tail -20 "$copy/test.log"; echo "the tests fail without a fault"; exit 2; }
done

row=0 caught=0 total=0 broken=0
while IFS=$'\t' read -r file expression; do
  case "$file" in '' | '#'*) continue ;; esac
  row=$((row + 1))
  [ "$row" -ge "$first" ] && [ "$row" -le "$last" ] || continue
  total=$((total + 1))
  cp -p "$copy/$file" "$copy/original"
  sed -i "$expression" "$copy/$file"
  if cmp -s "$copy/$file" "$copy/original"; then
    verdict="BROKEN: changes nothing"
    broken=$((broken + 1))
  elif ! build; then
    verdict="BROKEN: does not compile"
    broken=$((broken + 1))
  elif run_tests "$file"; then
    verdict="SURVIVED"
  else
    verdict="caught by: $(sed -n '/^-----/{n;p;q}' "$copy/test.log")"
    caught=$((caught + 1))
  fi
  printf '%2d %s  %s\n     %s\n' "$row" "$file" "$expression" "$verdict"
  cp -p "$copy/original" "$copy/$file"
  touch "$copy/$file"
done <"$root/tests/mutants/faults.txt"
echo "$caught of $total caught"
[ "$caught" -eq "$total" ]
