#!/usr/bin/env bash
# The packed package is a product too: in an empty folder it installs, serves, and answers the examples of the seed pages.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill -- "-$server" 2>/dev/null; rm -rf "$work"' EXIT

cd "$root"
npm pack --silent --pack-destination "$work" >/dev/null
cd "$work"
# A cache of its own, so that npx cannot take an earlier build for this one; a group of its own, so that all of it ends.
npm_config_cache="$work/cache" setsid npx --yes ./handrail-*.tgz serve --port 0 --json >out.json 2>err.log &
server=$!
for _ in $(seq 1 600); do
  [ -s out.json ] && break
  kill -0 "$server" 2>/dev/null || { cat err.log; exit 1; }
  sleep 0.2
done
url=$(node -p 'JSON.parse(require("fs").readFileSync("out.json","utf8").split("\n")[0]).url')
node "$root/test/suites/seed-examples.mjs" "$url"
