#!/usr/bin/env bash
# Imports every document of the corpus, compares each operation's request with independent libraries, and lets MCP's
# inspector look for schemas that some clients cannot read.
set -euo pipefail
cd "$(dirname "$0")/../.."
corpus=${HANDRAIL_CORPUS:-../shared/corpus}
if [ ! -f "$corpus/manifest.json" ]; then
  echo "There is no corpus at $corpus: set HANDRAIL_CORPUS to the folder that holds its manifest.json."
  exit 1
fi
HANDRAIL_CORPUS=$(cd "$corpus" && pwd)
export HANDRAIL_CORPUS
npx vitest run --config test/corpus/vitest.config.ts
npm ci --prefix test/oracles --no-audit --no-fund --loglevel=error ||
  { echo "The libraries to compare with could not be installed from the npm registry (test/oracles/package.json)."; exit 1; }
node test/oracles/run.mjs
node test/oracles/portability.mjs
