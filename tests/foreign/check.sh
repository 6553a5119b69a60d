#!/usr/bin/env bash
# Lets other tools read what `probare export` writes: tests/foreign/check.sh DIR [PROBARE]
#
# DIR holds the tools (see make.sh). The example run is made in it, exported in all forms, and read: by Inspect's
# read_eval_log, by promptfoo's import and export, and against the schema of Every Eval Ever.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:?the folder with the tools is needed}
"$here/install.sh" "$work"
work=$(cd "$work" && pwd)
probare=$(realpath "${2:-$root/target/release/probare}")
rm -rf "$work/check" "$work/promptfoo-home" && mkdir "$work/check"
cp -r "$root/examples/run" "$work/check/run"
cd "$work/check/run"
"$probare" run probare.yaml --quiet -o results.jsonl || [ $? -le 2 ]
cd "$work/check"
(cd run && "$probare" export 1 --to inspect --model "${MODEL:-steady}" -o ../log.json)
(cd run && "$probare" export 1 --to promptfoo -o ../promptfoo.json)
(cd run && "$probare" export 1 --to every-eval-ever --model "${MODEL:-steady}" -o ../record.json)
(cd run && "$probare" export 1 --to every-eval-ever-instances --model "${MODEL:-steady}" --metric exact_match -o ../instances.jsonl)
"$probare" score "$root/examples/agents/traces.jsonl" -m tool_errors -q -o agent.jsonl || [ $? -le 2 ]
"$probare" export agent.jsonl --to every-eval-ever-instances --metric tool_errors -o agent_instances.jsonl
cat agent_instances.jsonl >> instances.jsonl

"$work/inspect/bin/python" - <<'PY'
import json
import sys
from inspect_ai.log import read_eval_log
log = read_eval_log("log.json")
header = read_eval_log("log.json", header_only=True)
scored = sum(len(sample.scores) for sample in log.samples)
print(f"Inspect: {header.status}, {len(log.samples)} samples, {scored} scores, model {header.eval.model}")
for score in header.results.scores[:3]:
    print("  ", score.name, {name: round(metric.value, 4) for name, metric in score.metrics.items()})
assert log.samples[0].input and log.samples[0].output.completion
PY

. "$work/promptfoo.env"
promptfoo import promptfoo.json | tail -1
id=$(node -e 'console.log(JSON.parse(require("fs").readFileSync("promptfoo.json")).evalId)')
promptfoo export eval "$id" -o again.json >/dev/null
node -e '
const read = (name) => JSON.parse(require("fs").readFileSync(name)).results;
const [ours, theirs] = [read("promptfoo.json"), read("again.json")];
const key = (r) => `${r.testIdx}/${r.promptIdx}`;
const found = new Map(theirs.results.map((r) => [key(r), r]));
let same = 0;
for (const r of ours.results) {
  const other = found.get(key(r));
  if (!other || other.score !== r.score || other.success !== r.success || other.response?.output !== r.response?.output)
    throw new Error(`result ${key(r)} differs`);
  same += 1;
}
console.log(`promptfoo: ${same} results read and written again, the same; ${theirs.prompts.length} columns`);
'

# What the pages of `promptfoo view` load.
(exec promptfoo view -n -p "${PORT:=15599}") >view.log 2>&1 &
viewer=$!
trap 'kill $viewer 2>/dev/null || true' EXIT
for _ in $(seq 30); do curl -sf "http://127.0.0.1:$PORT/health" >/dev/null && break || sleep 1; done
curl -sf "http://127.0.0.1:$PORT/api/eval/$id/table?limit=1000" -o table.json
node -e '
const { table } = JSON.parse(require("fs").readFileSync("table.json"));
const cells = table.body.reduce((sum, row) => sum + row.outputs.filter((output) => output?.text).length, 0);
console.log(`promptfoo view: ${table.body.length} rows, ${cells} outputs`);
if (!cells) process.exit(1);
'

"$work/inspect/bin/python" - "$work" <<'PY'
import json
import sys
from jsonschema import Draft7Validator
schema = json.load(open(f"{sys.argv[1]}/eee/every_eval_ever/schemas/eval.schema.json"))
record = json.load(open("record.json"))
errors = [f"{list(error.path)}: {error.message}" for error in Draft7Validator(schema).iter_errors(record)]
assert not errors, errors
print(f"Every Eval Ever: schema {schema['version']}, {len(record['evaluation_results'])} results, valid")
schema = json.load(open(f"{sys.argv[1]}/eee/every_eval_ever/schemas/instance_level_eval.schema.json"))
lines = [json.loads(line) for line in open("instances.jsonl")]
errors = [f"{line['sample_id']}: {list(error.path)}: {error.message}" for line in lines for error in Draft7Validator(schema).iter_errors(line)]
assert lines and not errors, errors
print(f"Every Eval Ever: {len(lines)} instance records, valid")
PY
