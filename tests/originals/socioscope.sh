# Socioscope: answers about interviews, graded against transcripts; questions asked from an index.
. "$(dirname "$0")/common.sh"
questions=$EXAMPLES/socioscope/questions.json
corpus=$EXAMPLES/socioscope/corpus.json

# The first way.
expect 0 "$PROBARE" socioscope "$questions" "$corpus" --out results --timestamp first
has results/summary.csv "score,overall"
[ -f results/report.html ] || fail "there is no report.html"
# A limit: the first answers, also where it ends within a question.
for limit in 1 2 3; do
    expect 0 "$PROBARE" socioscope "$questions" "$corpus" --out "limit$limit" --limit $limit
    has "limit$limit/report.html" "$limit answer"
done
# The limit of a gate is held against the mean that is printed: over answers.
cat >three.json <<'JSON'
{"qa_pairs": [
  {"id": "A", "question": {"text": "Did they receive support?", "type": "Yes/No", "metric": "yes"}, "answers": [
    {"model": "m", "answer": "Yes.", "source": "t"}, {"model": "m", "answer": "Yes.", "source": "t"}]},
  {"id": "B", "question": {"text": "Do they fish?", "type": "Yes/No", "metric": "yes"}, "answers": [
    {"model": "m", "answer": "No.", "source": "t"}]}]}
JSON
echo '[{"FILE": "t", "text": "Anna: We received support."}]' >texts.json
expect 0 "$PROBARE" socioscope three.json texts.json --out three --fail-under yes_no=0.6
says "0.6667"
expect 2 "$PROBARE" socioscope three.json texts.json --out three2 --fail-under yes_no=0.7
expect 0 "$PROBARE" socioscope three.json texts.json --out three3 -o three.jsonl --fail-under yes_no=0.6
expect 0 "$PROBARE" verify three.jsonl
# The second way: CSV, no charts, empty input.
expect 0 "$PROBARE" socioscope "$questions" "$corpus" --out csv --format csv --no-plots --timestamp second
ls csv/*second*.csv >said || fail "there is no CSV"
echo '{"qa_pairs": []}' >none.json
expect 1 "$PROBARE" socioscope none.json "$corpus" --out none
# Names are hidden, however they are written.
expect 0 "$PROBARE" socioscope three.json texts.json --out hidden --redact
! grep -q "Anna" hidden/report.html || fail "a name is readable"
# Questions asked from an index, with an outage in between: the same command asks only for what is missing.
expect 0 "$PROBARE" rag index texts.json -o index
cat >answer.sh <<'SH'
cat >/dev/null
[ -e down ] && { echo "status 500: out of order" >&2; exit 1; }
echo x >>asked
echo '{"text": "{\"answer\": \"Yes.\", \"citations\": []}"}'
SH
cat >probare.yaml <<'YAML'
models:
  - {name: tested, provider: command, command: [sh, answer.sh], max_attempts: 1}
YAML
export PROBARE_CONFIG="$PWD/probare.yaml"
cat >ask.json <<'JSON'
{"qa_pairs": [{"id": "A", "question": {"text": "Did they receive support?", "type": "Yes/No", "metric": "yes"}, "answers": []}]}
JSON
touch down
expect 1 "$PROBARE" socioscope ask.json texts.json --index index --model tested --out asked1
says "got no answer"
rm down
expect 0 "$PROBARE" socioscope ask.json texts.json --index index --model tested --out asked2
expect 0 "$PROBARE" socioscope ask.json texts.json --index index --model tested --out asked3
[ "$(wc -l <asked)" -eq 1 ] || fail "an answer that was there was asked for again"
# A question of which no word occurs is asked of nobody.
sed 's/Did they receive support/Was cultivate meant/; s/Was cultivate meant/Cultivate what/' ask.json >nothing.json
expect 1 "$PROBARE" socioscope nothing.json texts.json --index index --model tested --out asked4
says "holds a word of the question"
[ "$(wc -l <asked)" -eq 1 ] || fail "a model was asked about nothing"
