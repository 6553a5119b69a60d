"""Runs a solution and then its tests, each by itself, in one process, and writes down what became of each.

What it writes ends with a word that it was given on standard input, before the solution ran: a solution that ends the
program early, or writes the file itself, does not have it.
"""

import ast
import collections
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import types

from probare_forms import CodeModules, Refusal, Tests, can_assert, described


class Captured:
    """pytest's `capsys`."""

    def __init__(self):
        self.out, self.err = io.StringIO(), io.StringIO()

    def readouterr(self):
        found = collections.namedtuple("CaptureResult", "out err")(self.out.getvalue(), self.err.getvalue())
        for one in (self.out, self.err):
            one.seek(0)
            one.truncate()
        return found


def capsys():
    captured, before = Captured(), (sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = captured.out, captured.err
    yield captured
    sys.stdout, sys.stderr = before


def monkeypatch():
    """pytest's, as far as it replaces attributes, items and variables."""
    from unittest import mock

    with contextlib.ExitStack() as stack:
        patch = types.SimpleNamespace()

        def setattr_(target, name, *value, raising=True):
            known = mock.patch(target, name) if isinstance(target, str) and not value else mock.patch.object(target, name, *value)
            stack.enter_context(known)

        patch.setattr = setattr_
        patch.setitem = lambda held, key, value: stack.enter_context(mock.patch.dict(held, {key: value}))
        patch.setenv = lambda key, value: stack.enter_context(mock.patch.dict(os.environ, {key: value}))
        patch.undo = stack.close
        yield patch


FIXTURES = {"capsys": capsys, "monkeypatch": monkeypatch, "tmp_path": lambda: pathlib.Path(tempfile.mkdtemp())}


def is_of_code(error):
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "solution.py":
            return True
        trace = trace.tb_next
    return False


def tried(tests, entry, names):
    """What each test raised."""
    trees = []
    for number, test in enumerate(tests):
        try:
            trees.append(ast.parse(test))
        except SyntaxError as error:
            raise Refusal("test %d cannot be run: %s" % (number, described(error))) from None
    if not can_assert(trees):
        raise Refusal("the tests assert nothing: every program passes them")
    sys.meta_path.insert(0, CodeModules(names.__getitem__, [entry]))
    forms = Tests(names, entry, FIXTURES)
    found = []
    for number, test in enumerate(tests):
        error = None
        try:
            forms.run(test, "test %d" % number, is_of_code)
        except BaseException as raised:
            error = raised
        if Refusal.first:
            raise Refusal("test %d cannot be run: %s" % (number, Refusal.first))
        found.append(described(error) if error is not None else None)
    if not any(found) and forms.reached == 0:
        if forms.skipped:
            raise Refusal("all tests are skipped")
        found[-1] = "no assertion was reached with what the code gave"
    return found


def main():
    given = json.loads(sys.stdin.readline())
    sys.stdin = open(os.devnull)
    names = {"__name__": "__main__", "__file__": "solution.py"}
    found = {"solution": None, "tests": [], "needs": None}
    try:
        with open("solution.py", encoding="utf-8") as file:
            exec(compile(file.read(), "solution.py", "exec"), names)
    except BaseException as error:
        found["solution"] = described(error)
    else:
        try:
            found["tests"] = tried(given["tests"], given["entry"], names)
        except Refusal as refusal:
            found["needs"] = str(refusal)
    found["word"] = given["word"]
    with open("report.json", "w", encoding="utf-8") as file:
        json.dump(found, file)
        file.flush()


main()
