#!/usr/bin/env bash
# Credentials against real counterparts: an OpenID provider, an S3 server that checks signatures, nginx with mutual TLS.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
require_program nginx
require_program openssl
npm ci --prefix test/outbound --prefer-offline --no-audit --no-fund --loglevel=error
node node_modules/vitest/vitest.mjs run --config test/outbound/vitest.config.ts
