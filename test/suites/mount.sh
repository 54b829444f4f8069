#!/usr/bin/env bash
# Handrail mounted in six apps with eight routes each, and a gateway in front of one of them: forty assertions hold for
# each. Installs the frameworks, and the package as it is published.
set -euo pipefail
cd "$(dirname "$0")/../.."
node node_modules/vitest/vitest.mjs run --config test/mount/vitest.config.ts
