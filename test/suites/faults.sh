#!/usr/bin/env bash
# Breaks what a gateway stands on: APIs, disk, database, identity provider, clock, names, and the process itself, and counts
# what was lost. HANDRAIL_FAULTS=long waits as long as an outage does.
set -euo pipefail
cd "$(dirname "$0")/../.."
node node_modules/vitest/vitest.mjs run --config test/faults/vitest.config.ts
