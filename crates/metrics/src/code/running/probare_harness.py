"""Runs tests. The code under test is in another sandbox: what a test does not define itself is asked for over the line, and
plain values come back and are compared here, by Python's own rules for the types that they really have.

What became of each test goes to a file that the code under test has no way to. Where a test cannot be run this way, that is
said instead of a verdict.
"""

import ast
import builtins
import importlib
import json
import os
import sys

from probare_talk import Gone, Line, NotPlain, builtin, drained, error_class

INSIDE = "such tests run beside the code with `tests: inside`, where they can be cheated"

# What a test and its code would have to share, by the names that stand in tests.
SHARED_NAMES = {
    "open": "files", "tempfile": "files", "shutil": "files", "Path": "files", "NamedTemporaryFile": "files",
    "input": "standard input", "capsys": "what is printed", "redirect_stdout": "what is printed",
    "redirect_stderr": "what is printed", "mock": "replaced names", "patch": "replaced names", "Mock": "replaced names",
    "MagicMock": "replaced names", "monkeypatch": "replaced names", "globals": "names", "inspect": "code", "gc": "objects",
    "asyncio": "coroutines", "weakref": "objects",
}
SHARED_ATTRIBUTES = {
    "sys.stdin": "standard input", "sys.stdout": "what is printed", "sys.stderr": "what is printed", "sys.argv": "arguments",
    "sys.modules": "modules", "os.environ": "variables", "os.putenv": "variables", "os.chdir": "files", "os.mkdir": "files",
    "os.makedirs": "files", "os.remove": "files", "os.unlink": "files", "os.rmdir": "files", "os.listdir": "files",
    "os.path.exists": "files", "os.path.isfile": "files", "os.path.isdir": "files", "pathlib.Path": "files",
    "builtins.input": "standard input", "builtins.open": "files", "builtins.print": "what is printed",
}
ALIASES = {"np": "numpy", "pd": "pandas"}
# The second half is for Pythons that do not know their own modules by name.
LIBRARIES = {"numpy", "scipy", "pandas"} | set(getattr(sys, "stdlib_module_names", "math random re copy string json".split()))


class Refused(BaseException):
    """A test asks for something that cannot be done with what is in another sandbox."""


class Needs(BaseException):
    """A test that has to run beside its code."""


class State:
    """What the tests come to."""

    def __init__(self):
        self.needs = None
        self.refused = None
        self.is_seeded = False
        self.sent = [None, None]

    def random(self):
        """Where `random` stands, of Python and of numpy, if that is news to the code under test."""
        python, numpy = sys.modules.get("random"), sys.modules.get("numpy")
        now = [python.getstate() if python else None, None]
        if numpy is not None:
            kind, numbers, *rest = numpy.random.get_state()
            now[1] = [kind, numbers.tolist(), *rest]
        news = [new if new != old else None for new, old in zip(now, self.sent)]
        self.sent = now
        return news

    def need(self, words):
        self.needs = self.needs or "%s; %s" % (words, INSIDE)
        return Needs(self.needs)

    def refuse(self, remote, what, *others):
        for one in (remote, *others):
            if isinstance(one, Remote) and one.is_wanted:
                return self.need("it %s an object of `%s`" % (what, one.kind))
        self.refused = "it %s what the code gave, an object of `%s`, which is no plain value" % (what, remote.kind)
        return Refused(self.refused)


def ask(what, *given, **named):
    try:
        return LINE.ask(what, *given, extra=STATE.random() if STATE.is_seeded else None, **named)
    except NotPlain as error:
        raise STATE.need("it gives the code %s" % error) from None


class Remote:
    """Something of the code under test that is no plain value."""

    def __init__(self, number, shape, kind):
        vars(self).update(number=number, shape=shape, kind=kind, is_wanted=False, ahead=[], least=1)

    def asked(self, what, *given, **named):
        found = ask(what, self, *given, **named)
        # What a test itself makes of a class that it names is an object that the test needs; what the code gives is not.
        if isinstance(found, Remote) and self.is_wanted and self.shape == "class":
            vars(found)["is_wanted"] = True
        return found

    def __call__(self, *given, **named):
        return self.asked("call", *given, **named)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__") and name not in ("__name__", "__doc__"):
            raise AttributeError(name)
        return self.asked("attribute", name)

    def __setattr__(self, name, value):
        self.asked("assign attribute", name, value)

    def __getitem__(self, key):
        return self.asked("item", key)

    def __setitem__(self, key, value):
        self.asked("assign item", key, value)

    def __iter__(self):
        return self if self.shape == "iterator" else self.asked("iterate")

    def __next__(self):
        # One first, then more at once: a test that wants one value causes one.
        if not self.ahead:
            if self.least is None:
                raise StopIteration
            found, is_over = self.asked("following", self.least)
            vars(self).update(ahead=list(found), least=None if is_over else min(self.least * 2, 1024))
            if not self.ahead:
                raise StopIteration
        return self.ahead.pop(0)

    def __len__(self):
        return self.asked("length")

    def __bool__(self):
        return self.asked("truth")

    def __str__(self):
        return self.asked("words")

    def __repr__(self):
        return self.asked("shown")

    def __instancecheck__(self, thing):
        return isinstance(thing, Remote) and ask("is a", thing, self)

    def __enter__(self):
        raise STATE.need("it enters an object of the code with `with`")

    def __exit__(self, *_):
        return False

    def __reduce_ex__(self, _):
        raise STATE.refuse(self, "copies")

    def __hash__(self):
        raise STATE.refuse(self, "puts into a set or dictionary")


def refusing(what):
    def method(self, *others):
        raise STATE.refuse(self, what, *others)

    return method


def equal(is_equal):
    def method(self, other):
        if self is other and not self.is_wanted:
            return is_equal
        raise STATE.refuse(self, "compares", other)

    return method


Remote.__eq__, Remote.__ne__ = equal(True), equal(False)
for name in "lt le gt ge".split():
    setattr(Remote, "__%s__" % name, refusing("compares"))
for name in "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split():
    setattr(Remote, "__%s__" % name, refusing("computes with"))
    setattr(Remote, "__r%s__" % name, refusing("computes with"))
for name in "neg pos abs invert int float index complex round contains".split():
    setattr(Remote, "__%s__" % name, refusing("computes with"))


class Functions:
    """Functions of the tests that the code may call, by number."""

    def __init__(self):
        self.all = []
        self.remotes = {}

    def own(self, writer, value):
        if isinstance(value, Remote):
            return ["yours", value.number]
        if builtin(value):
            return ["builtin", builtin(value)]
        if hasattr(value, "__next__") and not isinstance(value, type):
            return drained(writer, value)
        if callable(value) and not isinstance(value, type) and hasattr(value, "__name__"):
            self.all.append(value)
            return ["mine", len(self.all) - 1]
        kind = value if isinstance(value, type) else type(value)
        words = "the class `%s`" if isinstance(value, type) else "an object of `%s`"
        raise NotPlain(words % kind.__name__)

    def find(self, kind, *rest):
        if kind == "yours":
            return self.all[rest[0]]
        if kind == "builtin" and isinstance(getattr(builtins, rest[0], None), type):
            return getattr(builtins, rest[0])
        if kind == "mine":
            number, shape, name, names = rest
            if type(number) is int and type(shape) is str and type(name) is str:
                if names:
                    return error_class([str(one) for one in names[:20]])
                # One for each, so that `is` says the same here as there.
                return self.remotes.setdefault(number, Remote(number, shape, name))
        raise ValueError(kind)

    @staticmethod
    def act(what, given, named, _):
        if what != "call" or isinstance(given[0], Remote) or not callable(given[0]):
            raise ValueError(what)
        return given[0](*given[1:], **named)


class Names(dict):
    """The names of the tests: their own, Python's, then those of the code under test."""

    def __init__(self, trees, entry):
        super().__init__(__name__="__tests__")
        self.is_closed = True
        called = {node.func.id for tree in trees for node in ast.walk(tree)
                  if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        made = {node.name for tree in trees for node in ast.walk(tree)
                if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.modules = {node.value.id for tree in trees for node in ast.walk(tree)
                        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
        called -= made
        theirs = called - set(vars(builtins))
        # A task may be to write `sum`: then it is all that its tests call.
        self.shadowing = {entry} if entry else called if not theirs and len(called) == 1 else set()

    def __missing__(self, name):
        if self.is_closed or (name in vars(builtins) and name not in self.shadowing):
            raise KeyError(name)
        module = ALIASES.get(name, name)
        found = self.theirs(name)
        if name in self.modules and module in LIBRARIES and name not in self.shadowing:
            # Theirs could be anything of this name.
            return importlib.import_module(module)
        return found

    @staticmethod
    def theirs(name):
        try:
            found = ask("name", name)
        except NameError:
            raise KeyError(name) from None
        if isinstance(found, Remote) and found.shape == "class" and name[:1].isupper():
            vars(found)["is_wanted"] = True
        return found


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed(parts + [node.id])) if isinstance(node, ast.Name) else ""


def shared(tree):
    """What a test shares with its code, and the name that says so."""
    made = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        name = dotted(node) if isinstance(node, (ast.Attribute, ast.Name)) else ""
        if isinstance(node, ast.alias):
            name = node.name.split(".")[-1]
        what = SHARED_ATTRIBUTES.get(name) or SHARED_NAMES.get(name) or SHARED_NAMES.get(name.split(".")[0])
        if name and what and name.split(".")[0] not in made:
            return what, name
        if isinstance(node, ast.Await):
            return "coroutines", "await"
        if isinstance(node, ast.Call) and dotted(node.func).endswith("seed"):
            STATE.is_seeded = True
    return None


def told(error):
    try:
        text = str(error)
    except BaseException:
        text = ""
    note = getattr(error, "note", None)
    text = type(error).__name__ + (": " + text[:300] if text else "")
    return text + ("; " + note[:300] if type(note) is str else "")


def tried(tests, before, entry):
    """What each test raised."""
    trees = []
    for number, test in enumerate(tests):
        try:
            trees.append(ast.parse(test))
        except SyntaxError:
            continue
        found = shared(trees[-1])
        if found and found[1] != entry:
            raise STATE.need("test %d shares %s with the code (`%s`)" % (number, *found))
    names = Names(trees, entry)
    try:
        exec(compile(before, "before", "exec"), names)
    except BaseException:
        # It stands before the code too: what it misses there will be told.
        pass
    names.pop(entry, None)
    names.is_closed = False
    found = []
    for number, test in enumerate(tests):
        STATE.refused = None
        try:
            exec(compile(test, "test %d" % number, "exec"), names)
            found.append(STATE.refused)
        except BaseException as error:
            found.append(STATE.refused or told(error))
        if STATE.needs:
            STATE.needs = "test %d cannot be run: %s" % (number, STATE.needs)
            raise Needs()
        if LINE.is_gone:
            raise Gone()
    return found


def main():
    given = json.loads(sys.stdin.readline())
    sys.stdin = open(os.devnull)
    found = {"here": False, "gone": False, "solution": None, "tests": [], "needs": None}
    try:
        found["here"] = LINE.heard() == ["here"]
        first = LINE.heard()
        if first[0] == "broken":
            found["solution"] = "; ".join(str(part)[:600] for part in first[1:] if part)
        elif first == ["ready"]:
            found["tests"] = tried(given["tests"], given["before"], given["entry"])
        else:
            raise Gone()
    except Gone:
        found["gone"] = True
    except Needs:
        found["needs"] = STATE.needs
    with open("report.json", "w", encoding="utf-8") as file:
        json.dump(found, file)
        file.flush()


STATE = State()
FUNCTIONS = Functions()
LINE = Line(os.fdopen(7, "rb"), os.fdopen(8, "wb"), FUNCTIONS.own, FUNCTIONS.find, FUNCTIONS.act)

if __name__ == "__main__":
    main()
