#!/usr/bin/env bash
# The tests named *.slow.test.ts: hostile scripts, large files, memory under load, generated documents and schemas. They need
# nothing that `npm test` doesn't, only more time.
set -euo pipefail
cd "$(dirname "$0")/../.."
node node_modules/vitest/vitest.mjs run --config test/slow/vitest.config.ts
