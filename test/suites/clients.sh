#!/usr/bin/env bash
# Independent MCP clients list and call tools, find them by search, run code, and read long replies by handle and by link, over HTTP
# in both eras and over stdio.
set -euo pipefail
cd "$(dirname "$0")/../.."
npm ci --prefix test/clients --prefer-offline --no-audit --no-fund --loglevel=error ||
  { echo "The clients could not be installed from the npm registry (test/clients/package.json)."; exit 1; }
node test/clients/run.mjs
