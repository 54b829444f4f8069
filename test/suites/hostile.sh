#!/usr/bin/env bash
# Attacks a gateway in a process of its own: the whole catalogue of hostile inputs, and mutated ones for a fixed time, while
# an ordinary client goes on calling. HANDRAIL_FUZZ_SECONDS and HANDRAIL_SEED change what is tried.
set -euo pipefail
cd "$(dirname "$0")/../.."
node node_modules/vitest/vitest.mjs run --config test/hostile/vitest.config.ts
