#!/usr/bin/env bash
# Imports every document of the corpus, compares each operation's request with independent libraries, sends every request
# example through a gateway, and lets MCP's inspector look for schemas that some clients cannot read.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/find-corpus.sh
npx vitest run --config test/corpus/vitest.config.ts
npm ci --prefix test/oracles --prefer-offline --no-audit --no-fund --loglevel=error ||
  { echo "The libraries to compare with could not be installed from the npm registry (test/oracles/package.json)."; exit 1; }
node test/oracles/run.mjs
node test/oracles/request-examples/run.mjs
node test/oracles/portability.mjs
