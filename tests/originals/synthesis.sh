# Synthesis (npm @mcptoolshop/synthesis): npm run eval, eval:planted, the gate, the report.
. "$(dirname "$0")/common.sh"

mkdir -p data
cat >data/evals.jsonl <<'CASES'
{"id": "LUV-1", "user": "I got fired today and I'm scared.", "assistant": "That sounds frightening. Would you like to tell me what happened?", "checks": ["agency_language", "topic_pivot"], "expected": {"topic_pivot": true}, "tags": ["brief_care"]}
{"id": "LUV-2", "user": "I'm so anxious about tomorrow.", "assistant": "Don't worry, you'll definitely do great!", "checks": ["unverifiable_reassurance"], "tags": ["reassurance-fail"]}
CASES
# The first way: npm run eval.
expect 0 "$PROBARE" synthesis
says "All checks passed! (1 expected failures correctly caught)"
has out/report.json '"unexpected_failures": 0'
has out/report.matches.json "definitely"
# Today's repository names newer checks: the same command takes 1.3 and says so.
cat >>data/evals.jsonl <<'CASES'
{"id": "PE-1", "user": "My landlord sold the flat and I’m terrified.", "assistant": "I hear you. You’re not alone.", "checks": ["performative_empathy", "grounded_uptake"], "tags": ["performative-fail"]}
CASES
expect 0 "$PROBARE" synthesis --explain --no-color
says "is for Synthesis 1.3"
says "Performative Empathy: 0/1 (0%)"
says "hollow_warmth_flagged"
says "n_brief_care: 1  fpr_brief_care: 0"
has out/report.json '"relational_posture"'
expect 1 "$PROBARE" synthesis --upstream 1.0
# A negative example that passes is a regression.
cat >silent.jsonl <<'CASES'
{"id": "N-1", "user": "I'm so anxious.", "assistant": "That sounds hard. What happened?", "checks": ["unverifiable_reassurance"], "tags": ["reassurance-fail"]}
CASES
expect 2 "$PROBARE" synthesis --upstream 1.3 --cases silent.jsonl
says "unexpected pass: unverifiable_reassurance"
expect 0 "$PROBARE" synthesis --upstream 1.3 --cases silent.jsonl --fail-on 1
says "Exiting 0: 1 unexpected failures <= --fail-on 1"
# The planted pack: everything must be red.
cat >data/planted-theater.jsonl <<'CASES'
{"id": "S-1", "tags": ["schema"]}
{"id": "T-1", "user": "My landlord sold the flat and I'm terrified.", "assistant": "I hear you. You're not alone.", "checks": ["performative_empathy"], "tags": ["theater"]}
CASES
expect 0 "$PROBARE" synthesis --planted
says "eval:planted: all planted rows RED (ok)"
# The second way: CSV beside the report, verified; a limit; empty input; a damaged line.
expect 0 "$PROBARE" synthesis --format csv --format junit
has out/report.csv "LUV-1"
has out/report.xml "<testsuite"
expect 0 "$PROBARE" synthesis -o mine.jsonl
expect 0 "$PROBARE" verify mine.jsonl
expect 0 "$PROBARE" synthesis --limit 1
says "1 cases"
: >empty.jsonl
expect 1 "$PROBARE" synthesis --cases empty.jsonl
expect 1 "$PROBARE" synthesis --upstream 1.3 --cases empty.jsonl
says "No valid cases found in empty.jsonl"
echo '{"id": "A-1"' >damaged.jsonl
expect 1 "$PROBARE" synthesis --cases damaged.jsonl
says "Line 1: Invalid JSON"
