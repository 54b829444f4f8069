#!/usr/bin/env bash
# The explorer and the admin app in a real browser: journeys, keyboard, phone, light and dark, attack texts, axe.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
require_program chromium
require_program curl
node node_modules/vitest/vitest.mjs run --config test/browser/vitest.config.ts
