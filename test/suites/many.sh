#!/usr/bin/env bash
# Three instances on one PostgreSQL: restarted one after the other behind nginx, told of changes through PgBouncer, and
# sharing limits, there or on Redis, and a sign-in that may be renewed only once. Gateways of several workers.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
require_program nginx
require_program pgbouncer
require_program redis-server
require_program redis-cli redis-tools
require_program openssl
[ -f dist/main.js ] || node scripts/build.js
node node_modules/vitest/vitest.mjs run --config test/many/vitest.config.ts
