"""Runs the Python of a configuration of promptfoo for `probare run --allow-code`.

    python3 promptfoo_code.py CODE.json …         a worker: a line of JSON in, a line out; the code of a test by its number
    python3 promptfoo_code.py --provider SPEC …   a model: a request in, `{"text": …}` out

CODE.json lists the code that the configuration brings.
"""

import asyncio
import importlib.util
import inspect
import json
import os
import re
import sys
import traceback

USUAL = {"assertion": "get_assert", "transform": "get_transform", "provider": "call_api"}
modules = {}


def module(path):
    """The module of a file, imported once."""
    if path not in modules:
        folder, file = os.path.split(path)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        spec = importlib.util.spec_from_file_location(os.path.splitext(file)[0], path)
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        modules[path] = made
    return modules[path]


def function(folder, script):
    """The function of a script."""
    if "source" in script:
        source = script["source"]
        if "\n" in source:
            indented = re.search(r"^(?!\s*$)\s+", source, re.M)
            blanks = indented.group(0) if indented else "    "
            body = "\n".join(blanks + line for line in source.split("\n"))
        else:
            body = "    return " + source
        scope = {"json": json}
        exec(compile("import json\n\ndef main(output, context):\n" + body + "\n", "<assertion>", "exec"), scope)
        return scope["main"]
    found = module(os.path.abspath(os.path.join(folder, script["file"])))
    for name in script.get("function", USUAL[script["role"]]).split("."):
        if not hasattr(found, name):
            raise AttributeError(f"{script['file']} has no function {name}")
        found = getattr(found, name)
    return found


def call(made, *arguments):
    returned = made(*arguments)
    return asyncio.run(returned) if inspect.iscoroutine(returned) else returned


def described(error):
    """An error with the last line of code of the configuration's own in which it was raised."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def serve(path, lines, answers):
    with open(path, encoding="utf-8") as file:
        code = json.load(file)
    folder = os.path.join(os.path.dirname(os.path.abspath(path)), code["folder"])
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            ready = {"type": "ready", "protocol": 1, "name": "promptfoo_code", "range": [None, None]}
            answer = json.dumps({**ready, "summary": "Code of a configuration of promptfoo"})
        else:
            head = {"type": "return", "seq": message["seq"]}
            try:
                script = code["scripts"][message["script"]]
                value = call(function(folder, script), message["output"], message["context"])
                answer = json.dumps({**head, "value": value}, allow_nan=False)
            except BaseException as error:  # `sys.exit` in the code is a failure of it, too
                answer = json.dumps({**head, "error": described(error)})
        answers.write(answer.encode("utf-8", "replace") + b"\n")


class Context(dict):
    """What a provider is told; the variables are not known where several tests have this prompt."""

    def __missing__(self, key):
        if key == "vars":
            raise KeyError("several tests with different variables have this prompt, so that vars is not known")
        raise KeyError(key)

    def get(self, key, default=None):
        return self[key] if key == "vars" else super().get(key, default)


def provide(text, folder, known, request):
    script = json.loads(text)
    messages = [{"role": one["role"], "content": one.get("text") or ""} for one in request["messages"]]
    prompt = messages[0]["content"] if [one["role"] for one in messages] == ["user"] else json.dumps(messages, ensure_ascii=False, separators=(",", ":"))
    with open(known, encoding="utf-8") as file:
        variables = json.load(file).get(prompt)
    context = Context(prompt={"raw": prompt, "label": prompt})
    if variables is not None:
        context["vars"] = variables
    options = {"id": script.get("id"), "config": script.get("config", {})}
    answer = call(function(folder, script), prompt, options, context)
    if isinstance(answer, dict) and answer.get("error"):
        raise RuntimeError(answer["error"])
    output = answer.get("output") if isinstance(answer, dict) else answer
    if output is None:
        raise RuntimeError(f"{script['file']} returned no output")
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def main():
    request = json.load(sys.stdin) if sys.argv[1] == "--provider" else None
    lines = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    # What code prints is no answer, and what it reads is no message.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if request is None:
        serve(sys.argv[1], lines, answers)
        return
    try:
        answer = {"text": provide(*sys.argv[2:5], request)}
    except BaseException as error:
        answer = {"error": described(error)}
    answers.write(json.dumps(answer).encode("utf-8", "replace"))


main()
