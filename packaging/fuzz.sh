#!/usr/bin/env bash
# Fuzzes each target of tests/fuzz for a minute (or FUZZ_SECONDS), from the kept corpora, and fails on any finding: the
# input lies in build/fuzz/ then. With --keep, what reached new code joins the corpora; with names, only those targets.
source "$(dirname "$0")/env.sh"
cd "$ROOT"

PROGRAM=build/native-fuzz/tests/fuzz
SECONDS_EACH="${FUZZ_SECONDS:-60}"
MOST_BYTES=4096 # of an input: enough for every state of a reader, and small enough to be kept
KEEP=
if [ "${1:-}" = --keep ]; then KEEP=yes; shift; fi
[ -x "$PROGRAM" ] || die "run packaging/build.sh fuzz first"
if [ $# -eq 0 ]; then
  # shellcheck disable=SC2046 -- a list of words is meant
  set -- $(FUZZ_TARGET=list "$PROGRAM")
fi

found=()
for target in "$@"; do
  say "fuzzing $target for $SECONDS_EACH s"
  work="build/fuzz/$target" corpus="tests/fuzz/corpus/$target"
  mkdir -p "$work" "$corpus"
  # On Linux a data set's reader may take 32 MiB for dictionaries; a claim of gigabytes is a finding.
  if ! FUZZ_TARGET="$target" UBSAN_OPTIONS=print_stacktrace=1 "$PROGRAM" "$work" "$corpus" \
    -max_total_time="$SECONDS_EACH" -max_len="$MOST_BYTES" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512 \
    -artifact_prefix="build/fuzz/$target-" -print_final_stats=1 -verbosity=1 2>"build/fuzz/$target.log"; then
    found+=("$target")
    grep -E -A25 'ERROR|Broken|SUMMARY|what\(\)' "build/fuzz/$target.log" | head -60
  fi
  grep -E 'stat::number_of_executed_units|stat::peak_rss_mb' "build/fuzz/$target.log" || true
  grep -oE 'cov: [0-9]+ ft: [0-9]+' "build/fuzz/$target.log" | tail -1
  if [ -n "$KEEP" ]; then
    FUZZ_TARGET="$target" "$PROGRAM" -merge=1 -max_len="$MOST_BYTES" "$corpus" "$work" 2>"build/fuzz/$target.merge.log"
  fi
done

if [ ${#found[@]} -gt 0 ]; then die "findings in: ${found[*]}; the inputs are build/fuzz/TARGET-*"; fi
echo "no findings"
