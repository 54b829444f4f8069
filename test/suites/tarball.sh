#!/usr/bin/env bash
# The packed package is a product too: in an empty folder it installs, serves, and answers the examples of the seed pages.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. test/support/serving.sh
npm pack --silent --pack-destination "$work" >/dev/null
cd "$work"
# A cache of its own, so that npx cannot take an earlier build for this one.
npm_config_cache="$work/cache" serve "$work" npx --yes ./handrail-*.tgz serve --port 0 --json
node "$root/test/suites/seed-examples.mjs" "$url"
