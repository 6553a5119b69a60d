#!/usr/bin/env bash
# Installs the other tools into a folder, where they are not there yet: tests/foreign/install.sh DIR [TOOL…]
#
# TOOL is inspect, lm, promptfoo, deepeval or eee; all of them if none is named.
set -euo pipefail
work=${1:?a folder for the tools is needed}
tools=${*:2}
mkdir -p "$work" && work=$(cd "$work" && pwd)
python=${PYTHON:-python3}
wants() { [ -z "$tools" ] || [[ " $tools " == *" $1 "* ]]; }
venv() { # NAME PACKAGE…
  [ -x "$work/$1/bin/python" ] && return
  "$python" -m venv "$work/$1" && "$work/$1/bin/pip" install -q "${@:2}"
}
if wants inspect || wants eee; then
  venv inspect "inspect_ai==0.3.285" jsonschema
fi
if wants lm; then
  venv lm "lm_eval==0.4.13"
fi
if wants deepeval; then
  venv deepeval "deepeval==4.3.1"
fi
if wants more; then
  venv more "ragas==0.4.3" "langchain-community<0.4" "langchain-core<1" "langchain<1" "langchain-openai<1" "langsmith==0.14.17" "langfuse==5.0.4" "datasets==5.2.0"
fi
if wants openai; then
  venv openai "openai==3.51.0"
fi
if wants promptfoo; then
  if [ ! -x "$work/pf/node_modules/.bin/promptfoo" ]; then
    mkdir -p "$work/pf"
    (cd "$work/pf" && npm init -y >/dev/null && npm install node@22 && PATH="$work/pf/node_modules/.bin:$PATH" npm install promptfoo@0.123.1)
  fi
  cat > "$work/promptfoo.env" <<ENV
export PATH="$work/pf/node_modules/.bin:\$PATH"
export PROMPTFOO_CONFIG_DIR="$work/promptfoo-home" PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1
export PROMPTFOO_DISABLE_REMOTE_GENERATION=1 PROMPTFOO_SELF_HOSTED=1
ENV
fi
# The schema of Every Eval Ever; its own program wants Python 3.12.
if wants eee && [ ! -f "$work/eee/every_eval_ever/schemas/eval.schema.json" ]; then
  "$work/inspect/bin/pip" download -q --no-deps --ignore-requires-python -d "$work" "every-eval-ever==0.3.0"
  mkdir -p "$work/eee" && (cd "$work/eee" && "$work/inspect/bin/python" -m zipfile -e "$work"/every_eval_ever-0.3.0*.whl .)
fi
