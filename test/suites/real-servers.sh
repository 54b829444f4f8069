#!/usr/bin/env bash
# Imports the documents of PowerDNS, Alertmanager and Prism, and calls those servers through the tools.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/find-corpus.sh
. test/support/require-program.sh
require_program pdns_server pdns-server
require_program sqlite3
require_program prometheus-alertmanager
ls /usr/lib/*/pdns/libgsqlite3backend.so >/dev/null 2>&1 || install_package pdns-backend-sqlite3
npm ci --prefix test/real-servers --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error ||
  { echo "Prism could not be installed from the npm registry (test/real-servers/package.json)."; exit 1; }
node test/real-servers/run.mjs
