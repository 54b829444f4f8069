#!/usr/bin/env bash
# The docs that every build contains are served by a gateway at /docs, and have no dead link, a search that finds, and nothing that axe finds.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
require_program chromium
[ -f dist/main.js ] || node scripts/build.js
node node_modules/vitest/vitest.mjs run --config test/docs/vitest.config.ts
