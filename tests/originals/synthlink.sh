# SynthLink: predictions of deep-search systems against the catalogue.
. "$(dirname "$0")/common.sh"

# The first way: predictions.json here, and no catalogue, so the 60 published questions.
cat >predictions.json <<'JSON'
[{"question_id": "HIA-01", "predicted_answer": "The printing press spread literacy and the Reformation.", "retrieved_docs": ["Printing press"], "iterations": [], "sources_verified": []}]
JSON
expect 0 "$PROBARE" synthlink --output-dir results
says "SynthLink60"
says "Answered 1/60"
has results/synthlink_scores.csv "HIA-01,HIA,"
has results/synthlink_overall_score.txt "Overall Aggregate Score: 0."
expect 0 "$PROBARE" synthlink --output-dir results -o r.jsonl
expect 0 "$PROBARE" verify r.jsonl
# A catalogue that lies here is used, and one that is named.
cp "$EXAMPLES"/synthlink/SynthLink_*.md .
expect 0 "$PROBARE" synthlink --predictions "$EXAMPLES/synthlink/system_a.json" --output-dir own
says "/12"
rm SynthLink_*.md
expect 0 "$PROBARE" synthlink --predictions "$EXAMPLES/synthlink/system_a.json" --catalog "$EXAMPLES/synthlink/catalog.jsonl" --output-dir named --missing zero
# The second way: a catalogue in CSV, groups, a limit, empty input.
cat >catalogue.csv <<'CSV'
Question ID,Question Text,Expected Answer Summary,Traceable Sources,Reasoning Steps
HIA-01,Why?,The printing press.,"Topics: Printing press",1. Confirm the press. 2. Link the press.
CSV
expect 0 "$PROBARE" synthlink --catalog catalogue.csv --output-dir csv
expect 0 "$PROBARE" synthlink --output-dir by --by category -o by.json
has by.json '"HIA"'
expect 1 "$PROBARE" synthlink --output-dir by2 --by no_such_thing -o by2.json
says "no case has a tag"
expect 0 "$PROBARE" synthlink --catalog catalogue.csv --output-dir limit --limit 1
echo '[]' >none.json
expect 1 "$PROBARE" synthlink --predictions none.json --output-dir none
says "answers no question of the catalogue"
has none/synthlink_overall_score.txt "Overall Aggregate Score: 0.0000"
echo '[{"question_id": "XYZ-1", "predicted_answer": "a"}]' >unknown.json
expect 1 "$PROBARE" synthlink --predictions unknown.json --output-dir unknown
says "unknown question_id: XYZ-1"
# A judge that is out of order, and one whose replies cannot be read: both are asked again.
cat >judge.sh <<'SH'
cat >/dev/null
[ -e down ] && { echo "status 500: out of order" >&2; exit 1; }
echo x >>asked
echo '{"text": "I would rather not say."}'
SH
cat >probare.yaml <<'YAML'
models:
  - {name: house, provider: command, command: [sh, judge.sh], max_attempts: 1}
YAML
export PROBARE_CONFIG="$PWD/probare.yaml"
judged() {
    expect 1 "$PROBARE" synthlink --predictions "$EXAMPLES/synthlink/system_a.json" --catalog "$EXAMPLES/synthlink/catalog.jsonl" --limit 1 --judge house --output-dir judged "$@"
}
touch down
judged
[ ! -e asked ] || fail "the judge answered"
rm down
judged
first=$(wc -l <asked)
[ "$first" -gt 0 ] || fail "what an outage kept from being answered was not asked again"
judged
[ "$(wc -l <asked)" -eq "$first" ] || fail "a recorded reply was asked for again"
says "--refresh asks again"
judged --refresh
[ "$(wc -l <asked)" -eq $((first * 2)) ] || fail "--refresh did not ask again"
# A run that is ended in the middle goes on with the same command, and asks nothing twice.
cat >slow.sh <<'JUDGE'
cat >/dev/null
echo x >>"${COUNT:-slowly}"
sleep 0.05
echo '{"text": "I would rather not say."}'
JUDGE
cat >probare.yaml <<'YAML'
models:
  - {name: slow, provider: command, command: [sh, slow.sh], max_attempts: 1, concurrency: 1}
YAML
slowly() {
    "$PROBARE" synthlink --predictions "$EXAMPLES/synthlink/system_a.json" --catalog "$EXAMPLES/synthlink/catalog.jsonl" --judge slow --output-dir slow
}
slowly >said 2>&1 &
run=$!
until [ -s slowly ]; do sleep 0.05; done
kill -TERM $run
wait $run && fail "an interrupted run ended with 0"
before=$(wc -l <slowly)
expect 1 slowly
all=$(wc -l <slowly)
[ "$before" -lt "$all" ] || fail "the run was over before it was interrupted"
expect 1 slowly
[ "$(wc -l <slowly)" -eq "$all" ] || fail "a recorded reply was asked for again"
COUNT=whole PROBARE_CACHE=other.db expect 1 slowly
[ "$(wc -l <whole)" -eq "$all" ] || fail "the two parts asked $all times, the whole run $(wc -l <whole) times"
