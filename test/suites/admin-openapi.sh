#!/usr/bin/env bash
# Schemathesis asks every route of the admin API what its own OpenAPI document allows: nothing may answer 5xx, or with
# what the document doesn't describe. SCHEMATHESIS_OPTIONS replaces the short run that CI makes.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/serving.sh

# Its own environment, because it is a Python program; made once.
tools=${TMPDIR:-/tmp}/handrail-schemathesis-4.32.5
[ -x "$tools/bin/schemathesis" ] ||
  { python3 -m venv "$tools" && "$tools/bin/pip" install -q schemathesis==4.32.5; } >"$work/pip.log" 2>&1 || {
  echo "It needs Python 3 with venv and pip."
  tail -n 3 "$work/pip.log"
  exit 77
}

[ -f dist/main.js ] || node scripts/build.js
token=schemathesis-admin-token-0123456789
serve "$work" env HANDRAIL_ADMIN_TOKEN=$token node dist/main.js serve --port 0 --json --data-dir "$work/data"
curl -sS --fail -H "authorization: Bearer $token" "$url/api/v1/openapi.json" >"$work/openapi.json"
# Streams and profiles last as long as they are asked to, and it reads the tuples of /usage as an older draft.
"$tools/bin/schemathesis" run "$work/openapi.json" --url "$url/api/v1" \
  --header "Authorization: Bearer $token" --request-timeout 30 --no-color --warnings off \
  --exclude-path /events --exclude-path /profiles --exclude-path /usage \
  --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance \
  ${SCHEMATHESIS_OPTIONS:---phases fuzzing --mode positive --max-examples 2 --max-time 80 --seed 7}
