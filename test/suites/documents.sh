#!/usr/bin/env bash
# What the README and the pages of docs/start print, typed as it is printed, in an empty folder with an empty home.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
require_program curl
require_program git
node --input-type=module -e "import('./scripts/prepare.js').then(({ ensureInstalled, ensureBuilt }) => { ensureInstalled(); ensureBuilt(); })"
node node_modules/vitest/vitest.mjs run --config test/documents/typed/vitest.config.ts
