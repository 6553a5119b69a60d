import importlib.util
import inspect
import json
import os
import sys

KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def describe(function):
    properties, required = {}, []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        kind = KINDS.get(getattr(parameter.annotation, "__origin__", parameter.annotation))
        properties[name] = {"type": kind} if kind else {}
        if parameter.default is parameter.empty:
            required.append(name)
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": function.__name__, "description": inspect.getdoc(function) or "", "parameters": schema}


def main():
    path, name = sys.argv[1:3]
    # What the file prints must not stand in the result.
    out, sys.stdout = sys.stdout, sys.stderr
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("tool", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name)
    if sys.argv[3:] == ["--describe"]:
        result = describe(function)
    else:
        result = function(**json.load(sys.stdin))
    out.write(result if isinstance(result, str) else json.dumps(result))


main()
