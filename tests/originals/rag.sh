# RAG: responses judged by their query and context; a corpus indexed, searched and asked.
. "$(dirname "$0")/common.sh"

# The first way.
expect 0 "$PROBARE" rag eval --cases "$EXAMPLES/rag/cases.jsonl" --out results.json
expect 0 "$PROBARE" rag eval --cases "$EXAMPLES/rag/cases.jsonl" -o r.csv
has r.csv "wrong-price"
# A limit, and empty input.
expect 0 "$PROBARE" rag eval --cases "$EXAMPLES/rag/cases.jsonl" --limit 1 -o one.jsonl
[ "$(wc -l <one.jsonl)" -eq 1 ] || fail "the limit has no effect"
: >empty.jsonl
expect 1 "$PROBARE" rag eval --cases empty.jsonl -o none.jsonl
# Word search: passages of which a word stands in the text or in a field, and nothing else.
mkdir corpus
echo '[{"FILE": "a", "COUNTRY": "Denmark", "text": "We grow mussels."}, {"FILE": "b", "COUNTRY": "France", "text": "We bake bread."}]' >corpus/texts.json
expect 0 "$PROBARE" rag index corpus/texts.json -o index
expect 0 "$PROBARE" rag search index "What do they grow in Denmark?"
says "mussels"
expect 0 "$PROBARE" rag search index "France?"
says "bread"
expect 0 "$PROBARE" rag search index "Cultivate?"
says "holds a word of the question"
cat >answer.sh <<'SH'
cat >/dev/null
[ -e down ] && { echo "status 500: out of order" >&2; exit 1; }
echo x >>asked
echo '{"text": "{\"answer\": \"Mussels.\", \"citations\": [{\"source_index\": 0, \"quote\": \"We grow mussels\"}]}"}'
SH
cat >probare.yaml <<'YAML'
models:
  - {name: tested, provider: command, command: [sh, answer.sh], max_attempts: 1}
YAML
export PROBARE_CONFIG="$PWD/probare.yaml"
expect 1 "$PROBARE" rag ask index "Cultivate?" --model tested
says "holds a word of the question"
[ ! -e asked ] || fail "a model was asked about nothing"
# An outage, then the same command again.
touch down
expect 1 "$PROBARE" rag ask index "What do they grow?" --model tested
rm down
expect 0 "$PROBARE" rag ask index "What do they grow?" --model tested
says "Mussels."
expect 0 "$PROBARE" rag ask index "What do they grow?" --model tested
[ "$(wc -l <asked)" -eq 1 ] || fail "a recorded reply was asked for again"
