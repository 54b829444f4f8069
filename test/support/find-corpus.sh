# Sourced by suites from the project's root: sets HANDRAIL_CORPUS to the folder of real API descriptions, or fails clearly.
corpus=${HANDRAIL_CORPUS:-../shared/corpus}
if [ "$corpus" = none ]; then
  echo "This suite reads the corpus, and HANDRAIL_CORPUS is none."
  exit 1
fi
if [ ! -f "$corpus/manifest.json" ]; then
  echo "There is no corpus at $corpus: set HANDRAIL_CORPUS to the folder that holds its manifest.json, or to \"none\" for .ci/run to leave this suite out."
  exit 1
fi
HANDRAIL_CORPUS=$(cd "$corpus" && pwd)
export HANDRAIL_CORPUS
