#!/usr/bin/env bash
# Credentials against real counterparts: an OpenID provider, an S3 server that checks signatures, nginx with mutual TLS.
set -euo pipefail
cd "$(dirname "$0")/../.."
for program in nginx openssl; do
  if ! command -v "$program" >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get install -y -qq "$program" >/dev/null
  fi
  command -v "$program" >/dev/null || { echo "This suite needs $program: install it and run again."; exit 1; }
done
npm ci --prefix test/outbound --silent
node node_modules/vitest/vitest.mjs run --config test/outbound/vitest.config.ts
