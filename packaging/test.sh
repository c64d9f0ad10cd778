#!/usr/bin/env bash
# Installs, builds and runs every suite; the last line is "N passed, N failed". A suite that fails, crashes, hangs or runs
# no test makes the exit status 1.
#   packaging/test.sh                      all suites but asan, which takes a quarter of an hour by itself
#   packaging/test.sh --only SUITE,...     some of: scripts catch2 host faults asan-host ops mutants layers lint vitest chromium firefox asan
#   packaging/test.sh --full list          the long runs that are started by hand
#   packaging/test.sh --full etth1 --data FILE.csv
#   packaging/test.sh --full import|data --size GIGABYTES
#   packaging/test.sh --full nanogpt --data FILE.txt
source "$(dirname "$0")/env.sh"
cd "$ROOT"

SUITES=scripts,catch2,host,faults,asan-host,ops,mutants,layers,lint,vitest,chromium,firefox
REPORTS="$ROOT/build/reports"
FULL=
DATA=
SIZE=10
while [ $# -gt 0 ]; do
  case "$1" in
    --only) SUITES="${2:?}"; shift 2 ;;
    --full) FULL="${2:?}"; shift 2 ;;
    --data) DATA="${2:?}"; shift 2 ;;
    --size) SIZE="${2:?}"; shift 2 ;;
    *) die "no option '$1': see the head of this file" ;;
  esac
done

passed=0
failed=0
times=()

# Runs a suite's command within so many seconds and adds up what its report says.
suite() { # name, report format, report file, seconds, command...
  local name="$1" format="$2" file="$3" limit="$4" status=0 counts started=$SECONDS
  shift 4
  say "suite $name"
  rm -f "$file"
  timeout --kill-after=10 "$limit" "$@" || status=$?
  [ "$status" -ne 124 ] || echo "suite $name was stopped after $limit s"
  counts="$("$NODE" packaging/report.mjs "$format" "$file" "$status" 2>"$REPORTS/$name.failed")"
  cat "$REPORTS/$name.failed"
  cat "$REPORTS/$name.failed" >>"$REPORTS/failures.txt"
  read -r good bad <<<"$counts"
  passed=$((passed + good))
  failed=$((failed + bad))
  times+=("$(printf '%-10s %5s   %d passed, %d failed' "$name" "$(since "$started")" "$good" "$bad")")
}

# A program of C++ tests, as it is or with the sanitizers.
catch2() { # suite, seconds, program
  suite "$1" catch2 "$REPORTS/$1.xml" "$2" env LP_NUM_THREADS=0 ASAN_OPTIONS=detect_leaks=1 \
    UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS=suppressions=tests/lsan.supp:print_suppressions=0 \
    "$3" -r xml -o "$REPORTS/$1.xml"
}
run_catch2() { catch2 catch2 600 build/native/tests/tests; }
run_host() { catch2 host 300 build/native/tests/host_tests; }
run_asan() { catch2 asan 1200 build/native-asan/tests/tests; }
run_asan-host() { catch2 asan-host 600 build/native-asan/tests/host_tests; }

run_mutants() {
  suite mutants checks "$REPORTS/mutants.txt" 900 "$NODE" tests/mutants/run.mjs --five --report "$REPORTS/mutants.txt"
}

run_layers() {
  suite layers checks "$REPORTS/layers.txt" 60 packaging/checks.sh "$REPORTS/layers.txt" layers
}

run_lint() {
  suite lint checks "$REPORTS/lint.txt" 300 \
    packaging/checks.sh "$REPORTS/lint.txt" eslint prettier tsc web-ext eslint-e2e prettier-e2e
}

run_vitest() {
  suite vitest vitest "$REPORTS/vitest.json" 300 \
    "$NODE" "$MODULES/vitest/vitest.mjs" run --root extension --reporter=default --reporter=json \
    --outputFile="$REPORTS/vitest.json"
}

# One file after the other: a browser and its worker take both cores.
run_node() { # suite, seconds, files...
  suite "$1" node "$REPORTS/$1.jsonl" "$2" \
    "$NODE" --test --test-concurrency=1 --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=./tests/e2e/reporter.mjs --test-reporter-destination="$REPORTS/$1.jsonl" "${@:3}"
}
run_ops() { run_node ops 600 'tests/op_suite/*.test.mjs'; }
run_faults() { run_node faults 300 'tests/native_host/faults/*.test.mjs'; }
run_scripts() { run_node scripts 60 'tests/packaging/*.test.mjs' 'tests/bench/*.test.mjs' 'tests/golden/*.test.mjs'; }
run_chromium() { run_node chromium 900 'tests/e2e/chromium/*.test.mjs'; }
run_firefox() { run_node firefox 600 'tests/e2e/firefox/*.test.mjs'; }

# The parts that the chosen suites need.
parts_of() {
  case ",$1," in *,catch2,* | *,host,* | *,faults,* | *,chromium,* | *,firefox,*) echo native ;; esac
  case ",$1," in *,asan,*) echo asan ;; *,asan-host,*) echo asan-host ;; esac
  # What is started by hand is built all the same, so that it still fits the core when it is.
  case ",$1," in *,ops,*) echo ops bench bench-gemm accuracy ;; esac
  case ",$1," in *,lint,* | *,chromium,* | *,firefox,*) echo core extension ;; esac
}

packaging/setup.sh
mkdir -p "$REPORTS"
rm -f "$REPORTS/failures.txt"

if [ -n "$FULL" ]; then
  case "$FULL" in
    list)
      echo 'asan     the engine under sanitizers (the native host and the readers run so always)'
      echo 'data     a CSV file of 10 GB (or --size GIGABYTES) in Chromium: import, the rows of an epoch, memory'
      echo 'etth1    an LSTM on ETTh1.csv in Chromium: --data FILE.csv (17,420 hourly rows)'
      echo 'fuzz     a minute of libFuzzer for every reader of what comes from outside (FUZZ_SECONDS changes that)'
      echo 'faults   the host killed, cut off, its disk full, its power gone and every call failing: thousands of times'
      echo 'import   a CSV file of 10 GB (or --size GIGABYTES) by the native host, within 256 MiB of memory'
      echo 'windows  framing, store and readers built for Windows by MinGW, and their tests under Wine'
      echo 'memory   10,000 steps of every model, which must take the memory of two'
      echo 'nanogpt  the character model on a text in Chromium, as nanoGPT trains it: --data FILE.txt (tinyshakespeare)'
      echo 'ops      every case of every op on both devices in Chromium and Firefox (a share of them runs always)'
      echo 'mutants  every fault that the rules of tests/mutants make, each of which the op cases must notice (five run always)'
      ;;
    asan) exec "$ROOT/packaging/test.sh" --only asan,asan-host ;;
    fuzz)
      packaging/setup.sh clang-14 libfuzzer-14-dev
      packaging/build.sh fuzz
      exec packaging/fuzz.sh
      ;;
    faults)
      packaging/build.sh host
      FAULTS=full exec "$NODE" --test --test-concurrency=1 tests/native_host/faults/*.test.mjs
      ;;
    import)
      packaging/build.sh host
      exec "$NODE" tests/bench/import_large.mjs build/native/native_host/shadegrad-host "$SIZE"
      ;;
    data)
      packaging/build.sh core extension
      exec "$NODE" tests/bench/data.mjs --size "$SIZE" --rounds 1
      ;;
    windows)
      packaging/setup.sh g++-mingw-w64-x86-64-posix wine wine64
      packaging/build.sh windows
      # A registry of its own, so that nothing of this is left in the home.
      WINEPREFIX="$ROOT/build/wine" WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' exec wine build/windows/portable_tests.exe
      ;;
    memory)
      packaging/build.sh native
      LP_NUM_THREADS=0 exec build/native/tests/tests '[.full]'
      ;;
    nanogpt)
      [ -f "$DATA" ] || die "--full nanogpt needs --data FILE, the path of tinyshakespeare's text"
      packaging/build.sh accuracy
      exec "$NODE" tests/accuracy/char_gpt.run.mjs "$DATA"
      ;;
    ops)
      packaging/build.sh ops
      OP_CASES=all exec "$NODE" --test --test-concurrency=1 tests/op_suite/*.test.mjs
      ;;
    mutants) exec "$NODE" tests/mutants/run.mjs ;;
    etth1)
      [ -f "$DATA" ] || die "--full etth1 needs --data FILE, the path of ETTh1.csv"
      packaging/build.sh host core extension
      exec "$NODE" tests/e2e/etth1.mjs "$DATA"
      ;;
    *) die "no long run named '$FULL': see --full list" ;;
  esac
  exit 0
fi

started=$SECONDS
# shellcheck disable=SC2207 -- a list of words is meant
parts=($(parts_of "$SUITES"))
if [ ${#parts[@]} -eq 0 ] || packaging/build.sh "${parts[@]}"; then
  times+=("$(printf '%-10s %5s' build "$(since "$started")")")
  for name in ${SUITES//,/ }; do
    declare -F "run_$name" >/dev/null || die "no suite named '$name'"
    "run_$name"
  done
else
  echo 'FAILED build: see above'
  failed=1
fi

# Once more at the end, where who looks at the last lines finds it.
if [ -s "$REPORTS/failures.txt" ]; then say "what failed" && cat "$REPORTS/failures.txt"; fi
say "time by suite"
printf '%s\n' "${times[@]}"
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
