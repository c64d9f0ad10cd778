# Sourced by the other scripts: where things are, and how the private Node is found. Debian's own Node (18) is older
# than the tools need, so a pinned 22 lives in .node/; npm and Emscripten keep the system's, which they were built for.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
NODE_VERSION=22.23.5
NODE_SHA512=de3842fb07285b1299c5c46a176b144a5d1cf47117167babfe7b883f1e8ee8258a5748ce516426ec7b70e52b97aaa94c084862d1c26ac9b14f11be6185c06233
NODE="$ROOT/.node/bin/node"
MODULES="$ROOT/extension/node_modules"

# The name of a browser's program can be set from outside, to try another build of it.
export CHROMIUM="${CHROMIUM:-/usr/bin/chromium}"
export FIREFOX="${FIREFOX:-/usr/bin/firefox-esr}"
# CMake reads this at the first configuration of a build folder.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
fi

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }
# Whole seconds since an earlier $SECONDS.
since() { printf '%ds' $((SECONDS - $1)); }
