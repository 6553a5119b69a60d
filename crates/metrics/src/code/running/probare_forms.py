"""Runs tests in the forms that people write them in: statements, functions and classes of pytest, cases of unittest, and the
`check(candidate)` of HumanEval.

pytest itself is not needed: `import pytest` gives the small module at the end of this file, the same on every machine. What it
lacks is refused by name. Tests that assert nothing are refused too, because every program passes them.
"""

import ast
import inspect
import itertools
import operator
import re
import sys
import types
import unittest

# Names under which test files import the code under test.
CODE_MODULES = set(
    "solution solutions main submission answer candidate program module task impl implementation app response code_under_test"
    " your_module my_module".split()
)
SKIPPING = {"skip", "skipif", "xfail"}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Refusal(BaseException):
    """The tests cannot be run this way, whatever the code does: an error of the case. The first one is kept."""

    first = None

    def __init__(self, words):
        super().__init__(words)
        Refusal.first = Refusal.first or words


class Failures(AssertionError):
    """What functions and cases of a file raised, each with its name."""


class Skipped(Exception):
    """A test that does not want to run."""


# Assertions: which statements are some, and which were reached.


def called_name(node):
    return getattr(node, "attr", None) or getattr(node, "id", "")


def parts(node):
    """A statement with all that is in it, without what it only defines."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, DEFINITIONS):
            yield from parts(child)


def is_check(node):
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.Call):
        return False
    name = called_name(node.func)
    return name.startswith("assert") or name in ("fail", "raises", "warns")


def is_assertion(statement):
    """Whether a statement can fail because of what the code gave. Loops count by what is in them."""
    if isinstance(statement, DEFINITIONS + (ast.For, ast.AsyncFor, ast.While)):
        return False
    found = list(parts(statement))
    if isinstance(statement, (ast.If, ast.Try)):
        leaving = any(
            isinstance(node, ast.Raise) or isinstance(node, ast.Call) and called_name(node.func) in ("exit", "quit", "_exit")
            for node in found
        )
        if leaving:
            return True
    return any(is_check(node) for node in found)


def is_form(name):
    """Whether whoever runs tests calls a function or class of this name."""
    return name.startswith("test") or name in ("check", "setUp", "tearDown", "runTest")


def can_assert(trees):
    """Whether any of the tests holds an assertion that can be reached: not in a function that nobody calls."""
    used = {called_name(node) for tree in trees for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute))}

    def reachable(body):
        for node in body:
            if is_assertion(node):
                return True
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not (
                is_form(node.name) or node.name in used or node.decorator_list
            ):
                continue
            blocks = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
            blocks += [handler.body for handler in getattr(node, "handlers", [])]
            if any(reachable(block) for block in blocks if isinstance(block, list)):
                return True
        return False

    return any(reachable(tree.body) for tree in trees)


class Instrumented(ast.NodeTransformer):
    """Counts assertions that are reached and functions that are entered. `is`, `type` and `callable` ask whoever knows the thing."""

    def generic_visit(self, node):
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, [new for old in block for new in self.marked(old)])
        return node

    @staticmethod
    def marked(statement):
        if getattr(statement, "is_assertion", False):
            yield noting("__probare_reached__")
        yield statement

    def visit(self, node):
        if isinstance(node, ast.stmt):
            node.is_assertion = is_assertion(node)
        new = super().visit(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.decorator_list[0] if node.decorator_list else node
            new.body.insert(0, noting("__probare_entered__", first.lineno))
        return new

    def visit_Call(self, node):
        self.generic_visit(node)
        asked = {"type": "__probare_kind__", "callable": "__probare_callable__"}.get(getattr(node.func, "id", None))
        if asked and len(node.args) == 1 and not node.keywords:
            node.func = ast.Name(asked, ast.Load())
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr == "__class__" and isinstance(node.ctx, ast.Load):
            return ast.Call(ast.Name("__probare_kind__", ast.Load()), [node.value], [])
        return node

    def visit_ImportFrom(self, node):
        node.level = 0
        node.module = node.module or "solution"
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return node
        same = ast.Call(ast.Name("__probare_same__", ast.Load()), [node.left, *node.comparators], [])
        return same if isinstance(node.ops[0], ast.Is) else ast.UnaryOp(ast.Not(), same)


def noting(name, *given):
    return ast.Expr(ast.Call(ast.Name(name, ast.Load()), [ast.Constant(one) for one in given], []))


# Running.


class Tests:
    """The tests of a case. They share `names`; `entry` is what HumanEval's `check` is given."""

    def __init__(self, names, entry, fixtures=(), same=operator.is_, kind=type, is_callable=callable):
        self.names, self.entry, self.fixtures = names, entry, dict(fixtures)
        self.reached = self.skipped = 0
        self.entered = set()
        self.cases_run, self.failures = set(), []
        names.update(
            __name__="__main__", __file__="tests.py", __probare_reached__=self.reach,
            __probare_entered__=self.entered.add, __probare_same__=same, __probare_kind__=kind, __probare_callable__=is_callable,
        )
        unittest.main = self.unittest_main
        unittest.TestCase.assertIs = lambda case, a, b, msg=None: case.assertTrue(same(a, b), msg)
        unittest.TestCase.assertIsNot = lambda case, a, b, msg=None: case.assertFalse(same(a, b), msg)
        sys.modules["pytest"] = pytest_module(self)

    def reach(self):
        self.reached += 1

    def was_entered(self, function):
        code = getattr(inspect.unwrap(function), "__code__", None)
        return code is None or code.co_firstlineno in self.entered

    def run(self, text, label, is_foreign=lambda error: False):
        """Raises what a test raises. `is_foreign` says whether the code raised it rather than the test."""
        tree = ast.fix_missing_locations(Instrumented().visit(ast.parse(text)))
        before = dict(self.names)
        self.entered.clear()
        self.cases_run.clear()
        self.failures.clear()
        try:
            exec(compile(tree, label, "exec"), self.names)
        except SystemExit as error:
            # A script that ends well says so by its code; the code under test has no say in that.
            if is_foreign(error) or not self.failures and error.code not in (None, 0, False):
                raise
        except (Skipped, unittest.SkipTest):
            self.skipped += 1
            return
        new = [(name, value) for name, value in self.names.items() if before.get(name, self) is not value]
        self.run_cases(new)
        self.run_pytest(new)
        self.run_check(new)
        if self.failures:
            raise Failures("; ".join(self.failures)[:600])

    # unittest

    def unittest_main(self, *_, exit=True, **__):
        failed = len(self.failures)
        result = self.run_cases(list(self.names.items()))
        if exit:
            raise SystemExit(len(self.failures) > failed)
        return types.SimpleNamespace(result=result)

    def run_cases(self, new):
        kinds = [value for _, value in new if isinstance(value, type) and issubclass(value, unittest.TestCase)]
        kinds = [kind for kind in kinds if kind not in self.cases_run and kind.__module__ == "__main__"]
        self.cases_run.update(kinds)
        result = unittest.TestResult()
        if not kinds:
            return result
        load = unittest.TestLoader().loadTestsFromTestCase
        self.call_if_there("setUpModule")
        unittest.TestSuite(load(kind) for kind in kinds).run(result)
        self.call_if_there("tearDownModule")
        self.skipped += len(result.skipped)
        for test, trace in result.failures + result.errors:
            self.failures.append("%s: %s" % (getattr(test, "_testMethodName", test), last_line(trace)))
        for test in result.unexpectedSuccesses:
            self.failures.append("%s: it was expected to fail" % test._testMethodName)
        return result

    def call_if_there(self, name, *given, owner=None):
        function = self.names.get(name) if owner is None else getattr(owner, name, None)
        if function is not None:
            takes = len(inspect.signature(function).parameters)
            function(*given[:takes])

    # HumanEval

    def run_check(self, new):
        check = dict(new).get("check")
        if not isinstance(check, types.FunctionType) or self.was_entered(check):
            return
        needed = [one for one in inspect.signature(check).parameters.values() if one.default is one.empty]
        if len(needed) > 1:
            raise Refusal("`check` is never called, and it takes more than the function that is tested")
        if needed and not self.entry:
            raise Refusal("nothing says which function `check` is to be called with: add `metadata.entry_point`")
        check(*[self.names[self.entry] for _ in needed])

    # pytest

    def run_pytest(self, new):
        functions = [(name, one) for name, one in new if name.startswith("test") and isinstance(one, types.FunctionType)]
        functions = [(name, one) for name, one in functions if not self.was_entered(one)]
        classes = [
            (name, one) for name, one in new
            if isinstance(one, type) and name.startswith("Test") and not issubclass(one, unittest.TestCase)
            and one.__module__ == "__main__"
        ]
        if not functions and not classes:
            return
        marks = as_list(self.names.get("pytestmark", []))
        scope = Scope(self, None)
        self.call_if_there("setup_module", None)
        for name, function in functions:
            hooks = ("setup_function", "teardown_function", None, function)
            self.run_function(name, function, marks, scope, hooks)
        for name, kind in classes:
            if kind.__init__ is not object.__init__:
                raise Refusal("pytest collects no class with `__init__`: `%s`" % name)
            inner = Scope(self, scope)
            self.call_if_there("setup_class", kind, owner=kind)
            of_class = marks + as_list(getattr(kind, "pytestmark", []))
            for method in [one for base in reversed(kind.__mro__) for one in vars(base)]:
                if method.startswith("test") and not self.was_entered(getattr(kind, method)):
                    hooks = ("setup_method", "teardown_method", kind, None)
                    self.run_function("%s.%s" % (name, method), getattr(kind, method), of_class, inner, hooks)
            self.call_if_there("teardown_class", kind, owner=kind)
            inner.close()
        self.call_if_there("teardown_module", None)
        scope.close()

    def run_function(self, name, function, marks, outer, hooks):
        marks = marks + as_list(getattr(function, "pytestmark", []))
        if any(mark.skips() for mark in marks):
            self.skipped += 1
            return
        if inspect.isgeneratorfunction(function):
            raise Refusal("`%s` is a generator, which pytest does not run" % name)
        setup, teardown, kind, given = hooks
        for values in combinations(marks):
            make = kind or (lambda: None)
            for choice in Scope(self, outer, make(), values).choices(function, marks):
                instance = make()
                call = function if instance is None else getattr(instance, function.__name__)
                scope = Scope(self, outer, instance, values, choice)
                try:
                    try:
                        self.call_if_there(setup, given or call, owner=instance)
                        scope.call(call, marks)
                    finally:
                        self.call_if_there(teardown, given or call, owner=instance)
                        scope.close()
                except (Skipped, unittest.SkipTest):
                    self.skipped += 1
                except Exception as error:
                    self.failures.append("%s: %s" % (name, described(error)))


def as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def described(error):
    try:
        text = str(error)
    except BaseException:
        text = ""
    if isinstance(error, Failures):
        return text
    note = getattr(error, "note", None)
    text = type(error).__name__ + (": " + text[:300] if text else "")
    return text + ("; " + note[:300] if type(note) is str else "")


def last_line(trace):
    lines = [line for line in trace.strip().splitlines() if line and not line.startswith(" ")]
    return lines[-1][:300] if lines else ""


def combinations(marks):
    """The values of each call, as the marks `parametrize` say."""
    found = [{}]
    for mark in reversed([mark for mark in marks if mark.name == "parametrize"]):
        if mark.named.get("indirect"):
            raise Refusal("`parametrize` with `indirect` is not supported")
        names, rows = (list(mark.given) + [None, None])[:2]
        names = mark.named.get("argnames", names)
        rows = list(mark.named.get("argvalues", rows))
        names = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)
        sets = []
        for row in rows:
            if isinstance(row, Param):
                if any(mark.skips() for mark in row.marks):
                    continue
                row = row.values if len(names) > 1 else row.values[0]
            values = [row] if len(names) == 1 else list(row)
            if len(values) != len(names):
                raise Refusal("`parametrize` names %d arguments and gives %d values" % (len(names), len(values)))
            sets.append(dict(zip(names, values)))
        found = [{**one, **other} for one in found for other in sets]
    return found


class Scope:
    """What fixtures made, to be taken down in reverse order."""

    def __init__(self, tests, outer, instance=None, values=(), choice=()):
        self.tests, self.outer, self.instance = tests, outer, instance
        self.values, self.choice = dict(values), dict(choice)
        self.made, self.open = {}, []

    def fixture(self, name):
        found = getattr(type(self.instance), name, None) if self.instance is not None else None
        found = found if isinstance(found, Fixture) else self.tests.names.get(name)
        if isinstance(found, Fixture):
            return found
        named = [one for one in self.tests.names.values() if isinstance(one, Fixture) and one.named.get("name") == name]
        return named[0] if named else None

    def wanted(self, function, marks=()):
        """The names of all fixtures that a call needs, directly."""
        names = [name for mark in marks if mark.name == "usefixtures" for name in mark.given]
        if marks != ():
            holders = [self.tests.names] + ([vars(type(self.instance))] if self.instance is not None else [])
            names += [name for held in holders for name, one in held.items() if isinstance(one, Fixture) and one.named.get("autouse")]
        takes = inspect.signature(function).parameters.values()
        return names, [one.name for one in takes if one.default is one.empty and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]

    def choices(self, function, marks):
        """One dictionary for each combination of what fixtures with `params` may be."""
        seen, left = {}, [name for names in self.wanted(function, marks) for name in names]
        while left:
            name = left.pop()
            fixture = self.fixture(name)
            if name in seen or fixture is None or name in self.values:
                continue
            seen[name] = list(fixture.named.get("params") or [])
            left += [one for one in fixture.takes(self.instance) if one != "request"]
        varied = [(name, values) for name, values in seen.items() if values]
        for combination in itertools.product(*[values for _, values in varied]):
            yield dict(zip([name for name, _ in varied], combination))

    def call(self, function, marks):
        beside, taken = self.wanted(function, marks)
        for name in beside:
            self.value(name)
        found = function(**{name: self.value(name) for name in taken})
        if inspect.iscoroutine(found):
            import asyncio

            asyncio.run(found)

    def value(self, name):
        if name in self.values:
            return self.values[name]
        fixture = self.fixture(name)
        if fixture is None and name not in self.tests.fixtures:
            raise Refusal("the fixture `%s` is not known here" % name)
        holder = self
        if fixture is not None and fixture.named.get("scope", "function") != "function" and not fixture.named.get("params"):
            while holder.outer is not None and (holder.outer.outer is not None or fixture.named["scope"] != "class"):
                holder = holder.outer
        if name not in holder.made:
            holder.made[name] = holder.make(name, fixture, self)
        return holder.made[name]

    def make(self, name, fixture, asking):
        if fixture is None:
            found = self.tests.fixtures[name]()
        else:
            given = {}
            for one in fixture.takes(asking.instance):
                is_request = one == "request"
                given[one] = types.SimpleNamespace(param=asking.choice.get(name)) if is_request else asking.value(one)
            found = fixture.bound(asking.instance)(**given)
        if inspect.isgenerator(found):
            self.open.append(found)
            return next(found)
        return found

    def close(self):
        for generator in reversed(self.open):
            next(generator, None)
        self.open.clear()


# The module `pytest`.


class Fixture:
    def __init__(self, function, named):
        self.function, self.named = function, named

    def bound(self, instance):
        is_method = instance is not None and vars(type(instance)).get(self.function.__name__) is self
        return types.MethodType(self.function, instance) if is_method else self.function

    def takes(self, instance):
        return list(inspect.signature(self.bound(instance)).parameters)

    def __call__(self, *_, **__):
        raise Refusal("the fixture `%s` is called as a function" % self.function.__name__)


class Param:
    def __init__(self, *values, marks=(), id=None):
        self.values, self.marks = values, as_list(marks)


class Mark:
    def __init__(self, name, given=(), named=()):
        self.name, self.given, self.named = name, given, dict(named)

    def __call__(self, *given, **named):
        target = given[0] if len(given) == 1 and not named else None
        if isinstance(target, (types.FunctionType, type)):
            target.pytestmark = as_list(vars(target).get("pytestmark", [])) + [self]
            return target
        return Mark(self.name, given, named)

    def skips(self):
        if self.name == "skipif":
            return any(eval(one, {"sys": sys}) if isinstance(one, str) else bool(one) for one in self.given)
        return self.name in SKIPPING


class Marks:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Mark(name)


class Raises:
    """`with pytest.raises(…) as info`."""

    def __init__(self, kinds, pattern=None):
        self.kinds, self.pattern, self.info = kinds, pattern, ExceptionInfo()

    def __enter__(self):
        return self.info

    def __exit__(self, kind, error, _):
        if kind is None:
            raise AssertionError("nothing was raised, and %s was expected" % described_kinds(self.kinds))
        if not issubclass(kind, self.kinds):
            return False
        self.info.type, self.info.value = kind, error
        return self.pattern is None or self.info.match(self.pattern)


class ExceptionInfo:
    def match(self, pattern):
        if not re.search(pattern, str(self.value)):
            raise AssertionError("`%s` is not in what was raised: %s" % (pattern, described(self.value)))
        return True


def described_kinds(kinds):
    return " or ".join(kind.__name__ for kind in as_list(kinds))


class Approx:
    """What a number, or each number of a value, is close to."""

    __array_ufunc__ = None
    __array_priority__ = 100

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def __eq__(self, actual):
        return self.close(actual, self.expected)

    def __ne__(self, actual):
        return not self == actual

    __hash__ = None

    def __repr__(self):
        return "approx(%r)" % (self.expected,)

    def close(self, actual, expected):
        if hasattr(expected, "tolist"):
            expected = expected.tolist()
        if hasattr(actual, "tolist"):
            actual = actual.tolist()
        if isinstance(expected, dict):
            return isinstance(actual, dict) and actual.keys() == expected.keys() and all(
                self.close(actual[key], value) for key, value in expected.items()
            )
        if isinstance(expected, (list, tuple)):
            return isinstance(actual, (list, tuple)) and len(actual) == len(expected) and all(
                self.close(*pair) for pair in zip(actual, expected)
            )
        if isinstance(expected, (bool, str, bytes, type(None))) or isinstance(actual, (bool, str, bytes, type(None))):
            return type(actual) is type(expected) and actual == expected
        if actual == expected:
            return True
        if expected != expected:
            return self.nan_ok and actual != actual
        try:
            distance, size = abs(actual - expected), abs(expected)
        except TypeError:
            return False
        if size == float("inf"):
            return False
        relative = (1e-6 if self.rel is None and self.abs is None else self.rel or 0) * float(size)
        return bool(distance <= max(relative, 1e-12 if self.abs is None else self.abs))


def pytest_module(tests):
    module = types.ModuleType("pytest")

    def raises(kinds, *given, match=None, **named):
        if not given:
            return Raises(kinds, match)
        with Raises(kinds, match) as info:
            given[0](*given[1:], **named)
        return info

    def fixture(function=None, **named):
        return Fixture(function, named) if callable(function) else lambda inner: Fixture(inner, named)

    def fail(reason="", **named):
        raise AssertionError(reason or named.get("msg", ""))

    def skip(reason="", **_):
        raise Skipped(reason)

    def importorskip(name, **_):
        try:
            return __import__(name)
        except ImportError:
            raise Skipped(name) from None

    def missing(name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise Refusal("`pytest.%s` is not supported" % name)

    module.raises, module.approx, module.fixture, module.param, module.mark = raises, Approx, fixture, Param, Marks()
    module.fail, module.skip, module.importorskip = fail, skip, importorskip
    # The functions are run when the file is read: a script that calls it has nothing more to do.
    module.main = lambda *_, **__: 0
    module.__getattr__ = missing
    return module


class CodeModules:
    """Finds `solution`, `main` and the like: the code under test, whatever a test file calls it. `look` gives a name of it."""

    def __init__(self, look, others=()):
        self.look, self.names = look, CODE_MODULES | set(others)

    def find_spec(self, name, path=None, target=None):
        import importlib.machinery

        return importlib.machinery.ModuleSpec(name, self) if name in self.names else None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)

        def attribute(name):
            if name.startswith("__") and name.endswith("__"):
                raise AttributeError(name)
            try:
                return self.look(name)
            except KeyError:
                raise AttributeError("the code defines no `%s`" % name) from None

        module.__getattr__ = attribute
        return module

    def exec_module(self, module):
        pass
