#!/usr/bin/env bash
# The OpenAPI document of a server: two independent validators accept it, and swagger-client calls every tool of the
# bookshop through it, with an access key.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/serving.sh
npm ci --prefix test/openapi --prefer-offline --no-audit --no-fund --loglevel=error --ignore-scripts ||
  { echo "The validators could not be installed from the npm registry (test/openapi/package.json)."; exit 1; }
[ -f dist/main.js ] || node scripts/build.js
PORT=0 node examples/bookshop/server.js >"$work/bookshop.log" 2>&1 &
bookshop=$!
trap 'kill "$bookshop" 2>/dev/null; [ -n "$server" ] && kill -- "-$server" 2>/dev/null; rm -rf "$work"' EXIT
until grep -qo 'http://[0-9.:]*' "$work/bookshop.log"; do
  kill -0 "$bookshop" 2>/dev/null || { cat "$work/bookshop.log"; exit 1; }
  sleep 0.1
done
origin=$(grep -o 'http://[0-9.:]*' "$work/bookshop.log" | head -n 1)

export HANDRAIL_ADMIN_TOKEN=openapi-admin-token-0123456789
serve "$work" env "HANDRAIL_EGRESS_ALLOW=${origin#http://}" node dist/main.js serve --port 0 --json --no-demo --data-dir "$work/data"
handrail() { node dist/main.js "$@" --url "$url"; }
handrail import examples/bookshop/openapi.yaml --base-url "$origin"
handrail servers create shop --api bookshop --policy key >/dev/null
key=$(handrail keys create reader --server shop --json | node -p 'JSON.parse(require("fs").readFileSync(0,"utf8")).key')
node test/openapi/run.mjs "$url/mcp/shop/openapi.json" "$key"
