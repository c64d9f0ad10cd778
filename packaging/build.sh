#!/usr/bin/env bash
# Builds the parts named as arguments, or all of them: core (the WebAssembly modules), host, native (the C++ tests and
# the host), asan (the same under sanitizers), extension (both browsers); and, only by name, asan-host (of asan the tests
# of readers and host), ops (the op cases as modules), accuracy (a model as a module), bench (the modules for
# measurements), bench-gemm (those for products of matrices alone), bench-native (both as programs, with 128-bit fused
# multiply-add), fuzz (the readers of hostile bytes under libFuzzer) and windows (what is the same on every system, by
# MinGW). Everything is incremental.
source "$(dirname "$0")/env.sh"
cd "$ROOT"

configure() { # preset
  [ -f "build/$1/build.ninja" ] || cmake --preset "$1" >/dev/null
}
compile() { # preset, targets
  configure "$1"
  cmake --build --preset "$1" --target "${@:2}" -j "$(nproc)"
}
modules() { # a program, in each of the ways that wasm/modules.cmake names
  compile wasm "$1" "$1_relaxed" "$1_threads"
}

# The folder from which another library's benchmark can be given ours: the modules and their adapter side by side.
gather_bench() {
  mkdir -p build/bench/adapter
  cp build/wasm/wasm/bench_core* tests/bench/{shadegrad_adapter,workload_numbers}.mjs build/bench/adapter/
  "$MODULES/esbuild/bin/esbuild" extension/src/training/core_choice.ts --log-level=warning \
    --outfile=build/bench/adapter/core_choice.mjs
}

build_part() {
  case "$1" in
    core) modules core ;;
    host) compile native shadegrad-host ;;
    native) compile native all ;;
    ops) modules op_suite ;;
    accuracy) compile wasm char_gpt ;;
    bench) modules bench_core && gather_bench ;;
    bench-gemm) compile wasm gemm_bench gemm_bench_relaxed ;;
    bench-native) compile native-fma bench_native gemm_bench openblas_bench && compile native gemm_bench ;;
    asan) compile native-asan all ;;
    asan-host) compile native-asan host_tests ;;
    windows) compile windows portable_tests ;;
    fuzz) compile native-fuzz fuzz ;;
    extension) "$NODE" extension/build.mjs ;;
    *) die "no part named '$1': the head of this file names them" ;;
  esac
}

[ -x "$NODE" ] && [ -d "$MODULES" ] || die "run packaging/setup.sh first: the pinned Node or its packages are missing"
if [ $# -eq 0 ]; then set -- core native asan extension; fi
for part in "$@"; do
  started=$SECONDS
  say "building $part"
  build_part "$part"
  echo "built $part in $(since "$started")"
done
