#!/usr/bin/env bash
# The documentation site is built, served by a gateway at /docs, and has no dead link, a search that finds, and nothing that axe finds.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
require_program chromium
[ -f dist/main.js ] || node scripts/build.js
npm run site --silent
node node_modules/vitest/vitest.mjs run --config test/site/vitest.config.ts
