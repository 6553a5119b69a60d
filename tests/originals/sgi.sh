#!/bin/sh
# SGI-Bench as its users run it, from end to end: the guide's configuration and variables, its tree of data, outputs that were made elsewhere,
# tables, empty files, a limit, an interrupt, an outage and its repair. The server in sgi/server.py stands for all models.
#
#     PROBARE=target/debug/probare sh tests/originals/sgi.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${PROBARE:-probare}
case $program in */*) program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program") ;; esac
place=$(mktemp -d)
server=
cleanup() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$place"
}
trap cleanup EXIT
cp -r "$here/sgi/data" "$place/data"
mkdir "$place/server"
cd "$place"
python3 "$here/sgi/server.py" "$place/server" &
server=$!
tries=0
until [ -f server/port ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "the server does not start" >&2; exit 1; }
    sleep 0.1
done
address="http://127.0.0.1:$(cat server/port)/v1"

# The guide's variables.
export MY_KEY=k GRADER_API_KEY=k GRADER_BASE_URL="$address" SGI_DR_GRADER_MODEL=grader SGI_DE_GRADER_MODEL=grader
export SGI_JUDGE_MODEL_1=a SGI_JUDGE_MODEL_2=b SGI_JUDGE_MODEL_3=c SGI_EMBEDDING_MODEL=BAAI/bge-small-en
export PROBARE_SANDBOX="${PROBARE_SANDBOX:-auto}"
unset SGI_DATA_DIR SGI_CONDA_ENV SGI_EXECUTION_TIMEOUT SGI_DRY_EXPERIMENT_DATA_DIR PROBARE_RECORD PROBARE_CACHE 2>/dev/null || true

step=
# expect CODE WORDS... -- ARGUMENTS...: the program ends with the code and says all of the words; `!words` are not said.
expect() {
    code=$1
    shift
    : >words
    while [ "$1" != -- ]; do
        printf '%s\n' "$1" >>words
        shift
    done
    shift
    status=0
    "$program" "$@" >said 2>&1 </dev/null || status=$?
    if [ "$status" != "$code" ]; then
        echo "$step: \`probare $*\` ends with $status, not $code:" >&2
        cat said >&2
        exit 1
    fi
    while IFS= read -r word; do
        case $word in
        !*) if grep -qF -e "${word#!}" said; then wrong=1; else wrong=0; fi ;;
        *) if grep -qF -e "$word" said; then wrong=0; else wrong=1; fi ;;
        esac
        if [ $wrong = 1 ]; then
            echo "$step: \`probare $*\` does not keep \"$word\":" >&2
            cat said >&2
            exit 1
        fi
    done <words
}

count_asked() { if [ -f server/asked.jsonl ]; then grep -c "\"model\": \"$1\"" server/asked.jsonl || true; else echo 0; fi; }

same() {
    [ "$1" = "$2" ] || { echo "$step: $1 is not $2" >&2; exit 1; }
}

# guide NAME EXTRA-LINES DATASET...: a configuration in the form of the guide.
guide() {
    name=$1
    extra=$2
    shift 2
    {
        printf 'models:\n  - name: tested\n    api_model_name: tested\n    base_url: %s\n    api_key: MY_KEY\n' "$address"
        printf '    temperature: 0.0\n    timeout: 20\n    generator_type: multimodal\n'
        printf 'datasets:\n'
        for dataset in "$@"; do printf '  - dataset_id: sgibench-%s\n    splits: [test]\n' "$dataset"; done
        printf 'run:\n  kind: bench\n  output_dir: ./results\n  concurrency: 2\n  environment: system\n'
        printf '%s\n' "$extra"
    } >"$name"
}

graders="graders:
  models:
    - {name: BAAI/bge-small-en, base_url: $address, api_key: MY_KEY}"
pictures="    - {name: seer, api_model_name: seer, base_url: $address, api_key: MY_KEY}
  experimental_reasoning: seer"

step="an embedding model that nobody serves"
guide lonely.yaml '' ideageneration
expect 1 'no embedding server is named for `BAAI/bge-small-en`' '!is not a provider' -- sgi run lonely.yaml

step="all subtasks"
guide all.yaml "$graders
$pictures" deepresearch ideageneration dryexperiment wetexperiment experimentalreasoning deepresearch-gold
expect 0 'Deep research      50.00   2 scored, 0 failed' 'Dry experiments   100.00   1 scored' \
    'Reasoning          50.00   2 scored' 'MCA 0.5000, RV 0.8000' 'Research (Gold)   100.00   1 scored' 'the official mean of five' \
    'own prompts: deep_research.txt ' '!left out' -- sgi run all.yaml -y -o all.html -o all.jsonl
grep -q 'own prompts: deep_research.txt ' all.html
expect 0 -- runs export 1 -o again.jsonl
cmp all.jsonl again.jsonl
result=$(ls results/bench/sgibench-deepresearch/test/tested/*.json)
grep -q '"demo": false' "$result"
same "$(ls results/bench | wc -l | tr -d ' ')" 6

step="what has results is skipped, and run again when asked to"
expect 0 'sgibench-wetexperiment has results of these data; --overwrite runs it again' -- sgi run all.yaml
before=$(count_asked tested)
guide wet.yaml '' wetexperiment
expect 0 'Wet experiments' -- sgi run wet.yaml --overwrite
same "$(count_asked tested)" $((before + 2))

step="a limit is a demo: it counts as no result, and there is no official score"
expect 0 'SGI-Score incomplete: no more than the first 1 rows of each subtask were run' -- sgi run all.yaml --limit 1
guide demo.yaml '  demo_mode: true
  demo_limit: -1' wetexperiment
expect 64 '`demo_limit` is -1, where a number of rows is expected, 1 or more' '!u64' -- sgi run demo.yaml

step="the official scripts of 2026"
guide official.yaml "upstream: official-2026
$graders" deepresearch wetexperiment
sed -i.bak 's|./results|./official|' official.yaml
expect 0 'llm_judge 1.0000' 'soft_final_score' '1 with another number of steps than the reference, 1 of them with a soft similarity above 0' \
    'upstream: official-2026' 'judge_answer.txt ' -- sgi run official.yaml
grep -q '"step_llm_judge": \[' official/bench/sgibench-deepresearch/test/tested/*.json

step="prompts from a folder"
mkdir official_prompts
printf 'OFFICIAL STEPS of {{solution}} against {{reference_steps}}\n' >official_prompts/judge_steps.txt
printf '\nOFFICIAL TASK\n' >official_prompts/deep_research.txt
guide prompts.yaml "prompts: official_prompts
$graders" deepresearch
sed -i.bak 's|./results|./prompted|' prompts.yaml
expect 0 'prompts from official_prompts: deep_research.txt ' '; own prompts: answer_parser.txt ' 'step_level_acc 1.0000' -- sgi run prompts.yaml
grep -q 'table salt?\\nOFFICIAL TASK"' server/asked.jsonl
grep -q 'OFFICIAL STEPS of Step 1. Two ions each' server/asked.jsonl
printf 'x' >official_prompts/judge_step.txt
expect 1 'is not a prompt of SGI-Bench' '`judge_steps.txt`' -- sgi run prompts.yaml --overwrite
rm official_prompts/judge_step.txt

step="outputs that were made elsewhere, also as a table"
cat >outputs.jsonl <<'END'
{"idx": "SGI_WetExperiment_1", "response": "none"}
{"idx": "SGI_WetExperiment_2", "response": "s = <Weigh>(\n  mass=1\n)\nd = <Heat>(\n  sample=s\n)"}
END
python3 - <<'END'
import csv, json
def table(rows, columns, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({key: json.dumps(value) if isinstance(value, list) else value for key, value in row.items()} for row in rows)
def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]
table(lines("outputs.jsonl"), ["idx", "response"], "outputs.csv")
table(lines("data/sgibench/wet_experiment/test.jsonl"), ["idx", "question", "answer", "discipline"], "wet.csv")
reasoning = lines("data/sgibench/experimental_reasoning/test.jsonl")
table(reasoning, ["idx", "question", "options", "answer", "images", "steps"], "data/sgibench/experimental_reasoning/test.csv")
END
expect 0 'Wet experiments    50.00   2 scored, 0 failed' -- sgi score wet --data data/sgibench/wet_experiment/test.jsonl --predictions outputs.jsonl -o wet.jsonl
expect 0 'Wet experiments    50.00   2 scored, 0 failed' -- sgi score wet --data wet.csv --predictions outputs.csv -o wet_table.csv
expect 0 'all agree' -- verify wet.jsonl
test -s wet_table.csv
expect 0 'soft_final_score' 'upstream: official-2026' '!soft_final_score 0.0000' -- sgi score wet --data wet.csv --predictions outputs.csv --upstream official-2026 -o soft.jsonl
grep -q '"soft_missing_action_count"' soft.jsonl
expect 0 'all agree' -- verify soft.jsonl
printf '{"idx": "SGI_DeepResearch_1", "response": "<answer>4</answer>"}\n{"idx": "SGI_DeepResearch_2", "response": "<answer>0.25</answer>"}\n' >research.jsonl
expect 0 'prompts from official_prompts' 'Deep research     100.00' -- sgi score deep --data data/sgibench/deep_research/test.jsonl --predictions research.jsonl --prompts official_prompts -o research_scores.jsonl
grep -q 'OFFICIAL STEPS of <answer>0.25' server/asked.jsonl
expect 0 'all agree' -- verify research_scores.jsonl
printf '{"idx": "SGI_Reasoning_1", "response": "\\\\boxed{B}"}\n{"idx": "SGI_Reasoning_2", "response": "\\\\boxed{B}"}\n' >letters.jsonl
reasoning=data/sgibench/experimental_reasoning/test.csv
expect 0 'Reasoning         100.00   2 scored' '!RV' -- sgi score reasoning --data $reasoning --predictions letters.jsonl
cat >seer.yaml <<END
models:
  - {name: seer, api_model_name: seer, base_url: $address, api_key: MY_KEY}
  - {name: BAAI/bge-small-en, base_url: $address, api_key: MY_KEY}
END
expect 0 'MCA 1.0000, RV 0.8000' -- sgi score reasoning -c seer.yaml --data $reasoning --predictions letters.jsonl --judge seer
expect 0 'RV_text_only 0.3000' '!RV 0' -- sgi score reasoning -c seer.yaml --data $reasoning --predictions letters.jsonl --judge seer --text-only

step="logs of the official scripts"
cat >"logs['all'].json" <<'END'
[
    {"idx": "SGI_Reasoning_1", "question": "q", "answer": 1, "model_answer": "\\boxed{B}"},
    {"idx": "SGI_Reasoning_2", "question": "q", "answer": 1, "model_answer": "[Error][timeout]"}
]
END
expect 0 'Reasoning          50.00   2 scored' -- sgi score reasoning --data $reasoning --predictions "logs['all'].json"

step="ideas, with vectors from a server"
printf '{"idx": "SGI_Idea_1", "response": "<answer>{\\"Idea\\": \\"Film the culture and warn early.\\"}</answer>"}\n' >idea.jsonl
ideas=data/sgibench/idea_generation/test.jsonl
expect 0 '1 scored, 0 failed' -- sgi score idea -c seer.yaml --data $ideas --predictions idea.jsonl
expect 64 'no embedding server is named' -- sgi score idea -c /dev/null --data $ideas --predictions idea.jsonl

step="a folder of fixtures that is gone"
sed 's/SGI_DryExperiment_9001/SGI_DryExperiment_0200/' data/sgibench/dry_experiment/test.jsonl >fixed.jsonl
cat >code.jsonl <<'END'
{"idx": "SGI_DryExperiment_0200", "response": "<answer>\ndef total(values):\n    return sum(values)\n</answer>"}
END
mkdir -p fixtures/SGI_DryExperiment_0200
echo 1 >fixtures/SGI_DryExperiment_0200/given.txt
expect 0 'Dry experiments   100.00   1 scored' -- sgi score dry --data fixed.jsonl --predictions code.jsonl --fixtures fixtures
rm -r fixtures/SGI_DryExperiment_0200
expect 1 '0 scored, 1 failed' 'SGI_DryExperiment_0200' 'is not there' -- sgi score dry --data fixed.jsonl --predictions code.jsonl --fixtures fixtures

step="empty files"
: >empty.jsonl
expect 1 'holds no row' -- sgi score wet --data empty.jsonl --predictions outputs.jsonl
expect 1 'holds no output' -- sgi score wet --data wet.csv --predictions empty.jsonl
printf 'idx,response\n' >empty.csv
expect 1 'holds no output' -- sgi score wet --data wet.csv --predictions empty.csv

step="a row without an answer is loud"
printf '{"idx": "a", "question": "Q?"}\n{"idx": "b", "question": "R?", "answer": "x = <Do>(\\n  y=1\\n)"}\n' >unanswered.jsonl
printf '{"idx": "a", "response": "x"}\n{"idx": "b", "response": "x"}\n' >given.jsonl
expect 1 '1 scored, 1 failed' -- sgi score wet --data unanswered.jsonl --predictions given.jsonl
expect 1 '1 scored, 1 failed' -- sgi score deep --data unanswered.jsonl --predictions given.jsonl

step="a model that says nothing is asked again"
touch server/empty
guide silent.yaml '' wetexperiment
sed -i.bak 's|./results|./silent|; s|temperature: 0.0|temperature: 0.2|' silent.yaml
before=$(count_asked tested)
expect 0 'Wet experiments' '2 scored, 0 failed' -- sgi run silent.yaml
same "$(count_asked tested)" $((before + 4))
rm server/empty

step="an outage of the graders and its repair"
guide outage.yaml "$graders" deepresearch
sed -i.bak 's|./results|./outage|' outage.yaml
mkdir outage_store
touch server/down
export SGI_DR_GRADER_MODEL=other
expect 1 '0 scored, 2 failed' 'no such key' -- sgi run outage.yaml --store outage_store/s.db
rm server/down
expect 0 '2 samples again' '2 scored, 0 failed' -- resume --retry failed --store outage_store/s.db
export SGI_DR_GRADER_MODEL=grader

step="an interrupt, and the rest"
touch server/slow
guide broken.yaml '' wetexperiment deepresearch-gold deepresearch
sed -i.bak 's|./results|./broken|; s|temperature: 0.0|temperature: 0.3|; s|concurrency: 2|concurrency: 1|' broken.yaml
before=$(count_asked tested)
"$program" sgi run broken.yaml --store broken.db >said 2>&1 </dev/null &
run=$!
until [ "$(count_asked tested)" -gt "$before" ]; do sleep 0.05; done
kill -INT $run
status=0
wait $run || status=$?
[ $status -ne 0 ] || { echo "$step: an interrupted run ends with 0" >&2; cat said >&2; exit 1; }
rm server/slow
expect 0 'Wet experiments' 'Research (Gold)' -- resume --store broken.db
same "$(count_asked tested)" $((before + 5))

echo "SGI-Bench: every step holds"
