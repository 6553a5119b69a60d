"""Puts functions of an answer into a program. Texts are compiled and looked at; none is run.

Reads one JSON object: `main` (the program), `names` (functions to put in), `texts` (answers, tried in order),
`final_newline` and `python_lines` (how lines are joined and cut). Prints one: `code` (nothing where no function was
put in), `functions` with what became of each, and what was seen in the program and in each text.
"""

import ast
import json
import re
import sys


def compiles(text):
    try:
        compile(text, "text", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def spans(text):
    """First and last line of every plain function at the top of a text; of several with one name the last."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = (node.lineno, node.end_lineno)
    return found


def lines_of(text, python_lines):
    if python_lines:
        return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)
    return text.splitlines(keepends=True)


def seen(text):
    try:
        functions = spans(text)
    except SyntaxError:
        functions = None
    return {"compiles": compiles(text), "functions": functions}


def put_in(main, text, name, request):
    """The program with the function of the text, or the kind and the words of what is wrong."""
    if not compiles(main):
        return None, "AssertionError", "the program is no Python", False
    if not compiles(text):
        return None, "AssertionError", "the answer is no Python", False
    in_text, in_main = spans(text), spans(main)
    if name not in in_text:
        return None, "KeyError", "the answer does not define it at its top", False
    if name not in in_main:
        return None, "KeyError", "the program does not define it at its top", False
    first, last = in_text[name]
    piece = lines_of(text, request["python_lines"])[first - 1 : last]
    first, last = in_main[name]
    lines = lines_of(main, request["python_lines"])
    after = lines[last:]
    is_open = bool(piece) and not piece[-1].endswith(("\n", "\r"))
    if is_open and request["final_newline"]:
        piece[-1] += "\n"
    is_joined = is_open and not request["final_newline"] and bool(after) and after[0].strip() != ""
    result = "".join(lines[: first - 1] + piece + after)
    if not compiles(result):
        return None, "AssertionError", "the program is no Python any more with it", is_joined
    return result, None, None, is_joined


def main():
    request = json.loads(sys.stdin.buffer.read())
    code, functions, replaced = request["main"], [], False
    for name in request["names"]:
        told = {"name": name, "from": None, "errors": [], "joined": False}
        for number, text in enumerate(request["texts"]):
            # The published program asks this before it tries; an answer that is no Python is passed over.
            if not compiles(text):
                told["errors"].append(["AssertionError", "the answer is no Python"])
                continue
            result, kind, words, joined = put_in(code, text, name, request)
            if result is None:
                told["errors"].append([kind, words])
                continue
            code, replaced = result, True
            told["from"], told["joined"] = number, joined
            break
        functions.append(told)
    looked = {"main": seen(request["main"]), "texts": [seen(text) for text in request["texts"]]}
    print(json.dumps({"code": code if replaced else None, "functions": functions, "seen": looked}))


main()
