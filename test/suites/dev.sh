#!/usr/bin/env bash
# `npm run dev` in a fresh copy of the sources: one command, and a change of the gateway, the explorer and the admin app arrives.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
require_program curl
require_program git
work=$(mktemp -d)
dev=
# Ends it, which it tells with a status of its own, and keeps the status of the suite.
finish() {
  local status=$?
  set +e
  if [ -n "$dev" ]; then
    kill -- "-$dev" 2>/dev/null
    wait "$dev" 2>/dev/null
  fi
  rm -rf "$work" 2>/dev/null
  exit "$status"
}
trap finish EXIT
node test/support/sources/copy-sources.mjs "$work"
cd "$work"
# A group of its own, so that all of it ends.
setsid npm run dev --silent -- --port 0 >out.log 2>err.log &
dev=$!

# Waits until a command succeeds, for as long as the development server lives.
until_true() {
  local what=$1
  shift
  until "$@" >/dev/null 2>&1; do
    kill -0 "$dev" 2>/dev/null || { cat out.log err.log; echo "It ended before: $what"; exit 1; }
    sleep 0.5
  done
  echo "$what"
}
answers() { curl -sS --fail "$1" | grep -q "$2"; }

until_true "the gateway listens" grep -q '^Handrail is listening at ' out.log
gateway=$(sed -n 's/^Handrail is listening at //p' out.log | head -1)
until_true "the banner leads to the admin app" grep -q '^  Admin .*/admin ' out.log
app=$(sed -n 's/^  Admin *\(http[^ ]*\).*/\1/p' out.log | head -1)
[ "$app" != "$gateway/admin" ]
until_true "the admin app is served from its sources" answers "$app/" /src/main.tsx
until_true "the gateway is reached through it" answers "${app%/admin}/explorer/default" '<html'

sed -i 's/"status":"ok"/"status":"changed"/' src/http/routes/health-routes.ts
until_true "a change of the gateway arrives" answers "$gateway/healthz" changed
sed -i 's/<html/<html data-changed/' web/explorer/src/page/page.html
until_true "a change of the explorer arrives" answers "$gateway/explorer/default" data-changed
sed -i 's/<App /<App data-changed /' web/admin/src/main.tsx
until_true "a change of the admin app arrives" answers "$app/src/main.tsx" data-changed
