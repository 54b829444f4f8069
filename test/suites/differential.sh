#!/usr/bin/env bash
# The fast lane and the SDK agree on 10,000 generated requests and on the catalogue of malformed ones.
set -euo pipefail
cd "$(dirname "$0")/../.."
HANDRAIL_DIFFERENTIAL_RUNS=10000 node node_modules/vitest/vitest.mjs run src/mcp/fast/differential.test.ts
