#!/usr/bin/env bash
# The official MCP conformance suite: 37/37 for 2026-07-28 and 30/30 for 2025-11-25, with and without the fast lane;
# then both lanes answer everything that the suite asked once more, and have to agree. Last, its scenarios for authorization
# servers against the built-in one.
set -euo pipefail
cd "$(dirname "$0")/../.."
npm ci --prefix test/conformance --prefer-offline --no-audit --no-fund --loglevel=error ||
  { echo "The conformance suite could not be installed from the npm registry (test/conformance/package.json)."; exit 1; }
node test/conformance/run.mjs
SIGN_IN_CONFORMANCE=$PWD/test/conformance/node_modules \
  node node_modules/vitest/vitest.mjs run --config test/sign-in/vitest.config.ts test/sign-in/conformance.test.ts
