#!/usr/bin/env bash
# The work of action.yml: checks the files of a checkout, and ends with the exit code of `check`. Inputs come as variables
# (INPUT_…), beside those of GitHub (GITHUB_EVENT_NAME, GITHUB_BASE_REF, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, RUNNER_TEMP).
set -euo pipefail

if [ -n "${INPUT_VERSION:-}" ] || ! command -v tir-analyzer > /dev/null; then
  python3 -m pip install --quiet --disable-pip-version-check "tir-analyzer${INPUT_VERSION:+==$INPUT_VERSION}"
fi

paths=()
while IFS= read -r path; do
  [ -z "$path" ] || paths+=("$path")
done <<< "${INPUT_PATHS:-.}"

arguments=(--level "${INPUT_LEVEL:-warning}")
if [ "${INPUT_CHANGED_ONLY:-true}" = true ] && [ -n "${GITHUB_BASE_REF:-}" ]; then
  # A checkout has one commit; the one that the change is compared with is fetched without its history.
  git fetch --quiet --no-tags --depth=1 origin "$GITHUB_BASE_REF"
  arguments+=(--since FETCH_HEAD)
fi

code=0
tir-analyzer check "${arguments[@]}" --fail-on "${INPUT_FAIL_ON:-error}" --format github -- "${paths[@]}" || code=$?

if [ "${INPUT_SARIF:-false}" = true ]; then
  sarif="${RUNNER_TEMP:-/tmp}/tir-analyzer.sarif"
  tir-analyzer check "${arguments[@]}" --format sarif --exit-zero -- "${paths[@]}" > "$sarif"
  echo "sarif=$sarif" >> "$GITHUB_OUTPUT"
fi

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  {
    echo '### tir-analyzer'
    echo '```'
    tir-analyzer check "${arguments[@]}" --statistics --exit-zero -- "${paths[@]}" 2>&1
    echo '```'
  } >> "$GITHUB_STEP_SUMMARY" || true
fi

exit "$code"
