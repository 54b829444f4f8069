#!/usr/bin/env bash
# Imports the documents of PowerDNS, Alertmanager and Prism, and calls those servers through the tools.
set -euo pipefail
cd "$(dirname "$0")/../.."
corpus=${HANDRAIL_CORPUS:-../shared/corpus}
if [ ! -f "$corpus/manifest.json" ]; then
  echo "There is no corpus at $corpus: set HANDRAIL_CORPUS to the folder that holds its manifest.json."
  exit 1
fi
HANDRAIL_CORPUS=$(cd "$corpus" && pwd)
export HANDRAIL_CORPUS
if ! command -v pdns_server sqlite3 prometheus-alertmanager > /dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      pdns-server pdns-backend-sqlite3 sqlite3 prometheus-alertmanager > /dev/null
  else
    echo "pdns_server, sqlite3 and prometheus-alertmanager are needed (Debian: pdns-server pdns-backend-sqlite3 sqlite3 prometheus-alertmanager)."
    exit 1
  fi
fi
npm ci --prefix test/real-servers --ignore-scripts --no-audit --no-fund --loglevel=error ||
  { echo "Prism could not be installed from the npm registry (test/real-servers/package.json)."; exit 1; }
node test/real-servers/run.mjs
