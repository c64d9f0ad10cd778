#!/usr/bin/env bash
# Runs checks that pass or fail as a whole, each named by a word, and writes "ok NAME" or "failed NAME" lines to a file.
#   packaging/checks.sh REPORT eslint prettier tsc web-ext layers ...
source "$(dirname "$0")/env.sh"

eslint() { "$NODE" "$MODULES/eslint/bin/eslint.js" --max-warnings 0 "$@"; }
prettier() { "$NODE" "$MODULES/prettier/bin/prettier.cjs" --log-level warn --check "$@"; }

check() {
  case "$1" in
    layers) cd "$ROOT" && cmake "-DSOURCE=$ROOT" -P tests/layers.cmake ;;
    eslint) cd "$ROOT" && eslint --config extension/eslint.config.mjs extension tests/extension ;;
    prettier) cd "$ROOT/extension" && prettier --config .prettierrc.json . ../tests/extension ;;
    tsc) cd "$ROOT/extension" && "$NODE" "$MODULES/typescript/bin/tsc" --noEmit ;;
    web-ext)
      cd "$ROOT" && "$NODE" "$MODULES/web-ext/bin/web-ext.js" lint --source-dir build/extension/firefox \
        --self-hosted --no-config-discovery
      ;;
    eslint-e2e) cd "$ROOT" && eslint --config tests/e2e/eslint.config.mjs tests packaging --ignore-pattern 'tests/extension/**' ;;
    prettier-e2e)
      cd "$ROOT" && prettier --config extension/.prettierrc.json 'tests/!(extension)/**/*.mjs' 'packaging/*.mjs'
      ;;
    *) die "no check named '$1'" ;;
  esac
}

report="$1"
shift
: >"$report"
for name in "$@"; do
  if (check "$name"); then echo "ok $name" >>"$report"; else echo "failed $name" >>"$report"; fi
done
if grep -q '^failed' "$report"; then exit 1; fi
