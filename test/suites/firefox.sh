#!/usr/bin/env bash
# Every page of the admin app in Firefox, light and dark: axe, the console, and nothing wider than a phone.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
command -v firefox-esr >/dev/null || command -v firefox >/dev/null || install_package firefox-esr || true
FIREFOX_PATH=$(command -v firefox-esr || command -v firefox) || {
  echo "This suite needs Firefox, as firefox-esr or firefox."
  exit 77
}
export FIREFOX_PATH
node node_modules/vitest/vitest.mjs run --config test/browser-firefox/vitest.config.ts
