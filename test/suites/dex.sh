#!/usr/bin/env bash
# Single sign-on with Dex, a provider that is not written in JavaScript: sign-in, groups, new keys, and while it is away.
# Go builds it from its module.
set -euo pipefail
cd "$(dirname "$0")/../.."
for program in go cc; do
  if ! command -v "$program" >/dev/null; then
    echo "Dex is built from its Go module, and $program is not installed."
    exit 77
  fi
done
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
(
  cd "$work"
  go mod init handrail-dex
  GOTOOLCHAIN=local GOFLAGS=-mod=mod go get github.com/dexidp/dex/cmd/dex@v0.0.0-20210917061239-f0186ff2651e
  GOTOOLCHAIN=local GOFLAGS=-mod=mod go build -trimpath -o dex github.com/dexidp/dex/cmd/dex
) >"$work/build.log" 2>&1 || {
  tail -n 5 "$work/build.log"
  echo "Dex could not be built from its Go module."
  exit 1
}
HANDRAIL_DEX="$work/dex" node node_modules/vitest/vitest.mjs run --config test/dex/vitest.config.ts
