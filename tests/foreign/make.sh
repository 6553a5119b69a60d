#!/usr/bin/env bash
# Makes the files of this folder with the tools themselves: tests/foreign/make.sh DIR
#
# DIR gets the tools (about 3 GB: promptfoo alone is 2) and may be removed afterwards. Nothing is asked of any model.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${1:?a folder for the tools is needed}
"$here/install.sh" "$work"
work=$(cd "$work" && pwd)
rm -rf "$work/out" && mkdir "$work/out"

"$work/inspect/bin/python" "$here/inspect_task.py" "$work/out"
(cd "$work" && HF_HUB_OFFLINE=1 "$work/lm/bin/python" "$here/lm_eval_make.py" "$work/out")
. "$work/promptfoo.env"
(cd "$work" && promptfoo eval -c "$here/promptfoo.yaml" --no-progress-bar --no-table --no-share \
  -o out/promptfoo.json -o out/promptfoo.jsonl) || true # it ends with an error where an assertion fails
(cd "$work" && promptfoo eval -c "$here/promptfoo_vars.yaml" --no-progress-bar --no-table --no-share \
  -o out/promptfoo_vars.json -o out/promptfoo.csv) || true
(cd "$work" && "$work/deepeval/bin/python" "$here/deepeval_make.py" "$work/out" "$here/questions.json")
cp "$work"/out/test_run_*.json "$here/deepeval.json"
cp "$work"/out/{promptfoo_vars.json,promptfoo.csv} "$here"
cp "$work"/out/{inspect.eval,inspect.json,promptfoo.json,promptfoo.jsonl} "$here"
cp "$work"/out/{samples_own_words.jsonl,samples_own_choice.jsonl} "$here"
"$work/deepeval/bin/python" "$here/goldens_make.py" "$work/out" "$here/questions.json"
"$work/more/bin/python" "$here/more_make.py" "$work/out" "$here/questions.json"
cp "$work"/out/{deepeval_goldens.json,squad.parquet} "$here"
cp "$work"/out/{ragas,langsmith,langfuse}*.jsonl "$here"
"$work/openai/bin/python" "$here/openai_platform_make.py" "$work/out/openai"
cp "$work"/out/openai/eval_1/eval.json "$here/openai_platform/eval.json"
cp "$work"/out/openai/eval_1/evalrun_1.json "$here/openai_platform/run.json"
cp "$work"/out/openai/eval_1/evalrun_1.items.jsonl "$here/openai_platform/output_items.jsonl"
cp "$work"/out/openai/eval_1/file-1.jsonl "$here/openai_platform/data.jsonl"
