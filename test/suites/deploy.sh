#!/usr/bin/env bash
# What deploy/ holds, read by the programs it is for: manifests with Kubernetes' schemas, alerts by promtool, the unit by
# systemd. The two instances behind nginx run in test/many/compose.test.ts.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
require_program promtool prometheus
require_program systemd-analyze systemd
promtool check rules deploy/prometheus/alerts.yaml
promtool test rules test/deploy/alerts.yaml

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Where Node is differs, and what the unit would start is not installed here.
sed "s|^ExecStart=/usr/bin/node /opt/handrail/node_modules/handrail|ExecStart=$(command -v node) $PWD|" deploy/systemd/handrail.service >"$work/handrail.service"
grep -q "^ExecStart=$(command -v node) $PWD/dist/main.js serve$" "$work/handrail.service"
systemd-analyze verify --man=no "$work/handrail.service"
systemd-analyze security --offline=yes --threshold=20 "$work/handrail.service" | tail -1

npm ci --prefix test/deploy --prefer-offline --no-audit --no-fund --loglevel=error ||
  { echo "Kubernetes' schemas could not be installed from the npm registry (test/deploy/package.json)."; exit 1; }
node test/deploy/kubernetes.mjs
