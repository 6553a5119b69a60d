# SGI-Bench: outputs that are there are scored; graders may be out of order for a while.
. "$(dirname "$0")/common.sh"

cat >rows.jsonl <<'ROWS'
{"idx": "a", "question": "Q?", "answer": "7", "steps": ["s"]}
{"idx": "b", "question": "R?", "answer": "8", "steps": ["s"]}
ROWS
cat >outputs.jsonl <<'OUT'
{"idx": "a", "response": "<answer>7</answer>"}
{"idx": "b", "response": "<answer>9</answer>"}
OUT
cat >grader.sh <<'SH'
cat >/dev/null
[ -e down ] && { echo "status 401: no such key" >&2; exit 1; }
echo '{"text": "[{\"solution_step\": \"s\", \"reason\": \"r\", \"judge\": \"correct\"}]"}'
SH
cat >probare.yaml <<'YAML'
models:
  - {name: grader, provider: command, command: [sh, grader.sh]}
judges: [grader]
YAML
export PROBARE_CONFIG="$PWD/probare.yaml"
# An outage is loud, and the same command repairs it.
touch down
expect 1 "$PROBARE" sgi score deep --data rows.jsonl --predictions outputs.jsonl
says "0 scored, 2 failed"
rm down
expect 0 "$PROBARE" sgi score deep --data rows.jsonl --predictions outputs.jsonl
says "2 scored, 0 failed"
expect 0 "$PROBARE" sgi score deep --data rows.jsonl --predictions outputs.jsonl -o r.csv --limit 1
: >none.jsonl
expect 1 "$PROBARE" sgi score deep --data none.jsonl --predictions outputs.jsonl
