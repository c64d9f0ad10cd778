#!/usr/bin/env bash
# The whole path in one go: installs and builds what is missing, registers the native host for a private profile, and
# works the extension in a real Chromium from picking a CSV to a resumed checkpoint. Everything it writes is below
# build/demo. `--headed` shows the window.
source "$(dirname "$0")/env.sh"
cd "$ROOT"

for option in "$@"; do
  [ "$option" = --headed ] || die "no option '$option': there is --headed"
done
packaging/setup.sh
packaging/build.sh core host extension
exec "$NODE" tests/e2e/demo.mjs "$@"
