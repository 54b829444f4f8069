#!/usr/bin/env bash
# The explorer mounted in six frameworks starts and works.
set -euo pipefail
cd "$(dirname "$0")/../.."
node node_modules/vitest/vitest.mjs run --config test/examples/vitest.config.ts
