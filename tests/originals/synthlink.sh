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
