"""Plain values between two programs in two sandboxes that share nothing but two pipes. One line of JSON is one message.

Types cross exactly: a value is read back as the type it had, and whatever is not plain crosses as a number by which its owner
finds it again. Nothing that is read is ever run: no pickle, no names of code. Lists, dictionaries and the like are numbered, so
that what a call does to its arguments is done to the caller's own, and what was given comes back as itself.
"""

import base64
import builtins
import collections
import datetime
import decimal
import fractions
import itertools
import json
import math
import re
import sys
import threading

LONGEST = 16 << 20
# What a side has given in all, and how deep: from here on it is to blame for what cannot cross.
MUCH = 1 << 18
DEEP = 100
MOST_ITEMS = 100_000
NATIVE = 1 << 62
BRACKETS = re.compile(rb"[][]")
DTYPE = re.compile(r"^[<>|=]([biufc](1|2|4|8|16|32)|[SU][0-9]{1,6})$")
FACTORIES = {kind.__name__: kind for kind in (int, float, str, list, dict, set, tuple, bool)}
DATES = {kind.__name__: kind for kind in (datetime.date, datetime.datetime, datetime.time)}


class Gone(BaseException):
    """The other side is no more, or speaks no sense."""


class NotPlain(Exception):
    """A value that cannot cross."""


class TooMuch(NotPlain):
    """A value that is too large or too deep to cross."""


def numpy_of(value):
    """The module, where the value is one of its arrays or numbers."""
    numpy = sys.modules.get("numpy")
    kind = type(value)
    is_one = numpy is not None and kind.__module__ == "numpy" and getattr(numpy, kind.__name__, None) is kind
    if not is_one:
        return None
    if kind is numpy.ndarray or issubclass(kind, numpy.generic):
        return numpy if DTYPE.match(value.dtype.str) else None
    return None


class Writer:
    """Turns values into what JSON can hold. `own` says how this side names what is not plain."""

    def __init__(self, own, known=()):
        self.own = own
        self.things = dict(known)
        self.numbers = {id(thing): number for number, thing in self.things.items()}
        self.following = max(self.things, default=-1) + 1

    def number(self, value):
        number = self.following
        self.following += 1
        self.numbers[id(value)] = number
        self.things[number] = value
        return number

    def all(self, values):
        return [self.plain(value) for value in values]

    def pairs(self, mapping):
        return [[self.plain(key), self.plain(value)] for key, value in mapping.items()]

    def plain(self, value):
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -NATIVE < value < NATIVE else ["int", hex(value)]
        if kind is float:
            return value if math.isfinite(value) else ["float", repr(value)]
        if kind is tuple:
            return ["tuple", self.all(value)]
        if kind is bytes:
            return ["bytes", base64.b64encode(value).decode()]
        if kind is complex:
            return ["complex", value.real.hex(), value.imag.hex()]
        if kind is frozenset:
            return ["frozenset", self.all(value)]
        if kind is range:
            return ["range", self.all((value.start, value.stop, value.step))]
        if kind is type(Ellipsis):
            return ["ellipsis"]
        if kind is decimal.Decimal:
            return ["decimal", str(value)]
        if kind is fractions.Fraction:
            return ["fraction", hex(value.numerator), hex(value.denominator)]
        if kind in DATES.values():
            return ["moment", kind.__name__, value.isoformat()]
        if kind is datetime.timedelta:
            return ["span", value.days, value.seconds, value.microseconds]
        if kind in (type({}.keys()), type({}.values())):
            return ["view", kind.__name__, self.all(value)]
        if kind is type({}.items()):
            return ["view", kind.__name__, [self.all(pair) for pair in value]]
        if id(value) in self.numbers:
            return ["same", self.numbers[id(value)]]
        if kind in CONTENT or numpy_of(value) is not None:
            return self.content(value, None)
        if kind.__bases__ == (tuple,) and isinstance(getattr(kind, "_fields", None), tuple):
            return ["record", kind.__name__, list(kind._fields), self.all(tuple.__iter__(value))]
        return self.own(self, value)

    def content(self, value, number):
        """What a container holds; numbered anew unless it has a number."""
        kind = type(value)
        numpy = numpy_of(value)
        if numpy is not None and kind is not numpy.ndarray:
            data = base64.b64encode(value.tobytes()).decode()
            return ["number", value.dtype.str, data]
        number = self.number(value) if number is None else number
        if numpy is not None:
            data = base64.b64encode(value.tobytes()).decode()
            return ["array", number, value.dtype.str, list(value.shape), data]
        return [kind.__name__, number] + CONTENT[kind](self, value)


CONTENT = {
    list: lambda writer, value: [writer.all(value)],
    set: lambda writer, value: [writer.all(value)],
    dict: lambda writer, value: [writer.pairs(value)],
    bytearray: lambda writer, value: [base64.b64encode(value).decode()],
    collections.deque: lambda writer, value: [writer.plain(value.maxlen), writer.all(value)],
    collections.OrderedDict: lambda writer, value: [writer.pairs(value)],
    collections.Counter: lambda writer, value: [writer.pairs(value)],
    collections.defaultdict: lambda writer, value: [
        next((name for name, kind in FACTORIES.items() if kind is value.default_factory), None),
        writer.pairs(value),
    ],
}


class Reader:
    """Turns them back. `theirs` makes what stands for something of the other side."""

    def __init__(self, theirs, known=()):
        self.theirs = theirs
        self.things = dict(known)
        self.seen = {}

    def all(self, nodes):
        if type(nodes) is not list:
            raise NotPlain("a list is expected")
        return [self.plain(node) for node in nodes]

    def pairs(self, nodes):
        return [(self.plain(key), self.plain(value)) for key, value in nodes]

    def plain(self, node):
        if node is None or type(node) in (bool, str, int, float):
            return node
        if type(node) is not list or not node or type(node[0]) is not str:
            raise NotPlain("a value is expected")
        kind, rest = node[0], node[1:]
        if kind in MADE:
            number, content = rest[0], rest[1:]
            if type(number) is not int or number in self.things:
                raise NotPlain("a number stands twice")
            thing = MADE[kind](*content)
            self.things[number] = thing
            FILLED[kind](self, thing, content)
            self.seen[number] = shallow(thing)
            return thing
        if kind == "same":
            return self.things[rest[0]]
        if kind in READ:
            return READ[kind](self, *rest)
        return self.theirs(kind, *rest)

    def update(self, node):
        """Does to a container of ours what was done to it over there."""
        kind, number, content = node[0], node[1], node[2:]
        thing = self.things[number]
        if kind == "array":
            new = array(*content)
            if type(new) is not type(thing) or new.shape != thing.shape or new.dtype != thing.dtype:
                raise NotPlain("an array changed its shape")
            thing[...] = new
            return
        if type(thing).__name__ != kind:
            raise NotPlain("a container changed its type")
        thing.clear()
        FILLED[kind](self, thing, content)


def array(dtype, shape, data):
    import numpy

    if not DTYPE.match(dtype) or not all(type(size) is int and size >= 0 for size in shape):
        raise NotPlain("no array")
    return numpy.frombuffer(base64.b64decode(data), dtype=dtype).reshape(shape).copy()


def number(_, dtype, data):
    import numpy

    if not DTYPE.match(dtype):
        raise NotPlain("no number")
    return numpy.frombuffer(base64.b64decode(data), dtype=dtype)[0]


def shallow(thing):
    """Enough of a container to see later whether it was changed."""
    kind = type(thing)
    if isinstance(thing, dict):
        return [part for pair in thing.items() for part in pair]
    if kind in (list, set, collections.deque):
        return list(thing)
    return bytes(thing) if kind is bytearray else thing.tobytes()


def is_changed(thing, before):
    after = shallow(thing)
    if type(after) is bytes:
        return after != before
    return len(after) != len(before) or any(a is not b for a, b in zip(after, before))


def view(reader, kind, nodes):
    items = [tuple(reader.all(node)) for node in nodes] if kind == "dict_items" else reader.all(nodes)
    if kind == "dict_items":
        return dict(items).items()
    return dict.fromkeys(items).keys() if kind == "dict_keys" else dict(enumerate(items)).values()


MADE = {
    "list": lambda *_: [],
    "set": lambda *_: set(),
    "dict": lambda *_: {},
    "bytearray": lambda *_: bytearray(),
    "deque": lambda most, _: collections.deque(maxlen=most),
    "OrderedDict": lambda *_: collections.OrderedDict(),
    "Counter": lambda *_: collections.Counter(),
    "defaultdict": lambda factory, _: collections.defaultdict(FACTORIES.get(factory)),
    "array": array,
}
FILLED = {
    "list": lambda reader, thing, content: thing.extend(reader.all(content[0])),
    "set": lambda reader, thing, content: thing.update(reader.all(content[0])),
    "dict": lambda reader, thing, content: thing.update(reader.pairs(content[0])),
    "bytearray": lambda reader, thing, content: thing.extend(base64.b64decode(content[0])),
    "deque": lambda reader, thing, content: thing.extend(reader.all(content[1])),
    "OrderedDict": lambda reader, thing, content: thing.update(reader.pairs(content[0])),
    "Counter": lambda reader, thing, content: dict.update(thing, reader.pairs(content[0])),
    "defaultdict": lambda reader, thing, content: thing.update(reader.pairs(content[1])),
    "array": lambda *_: None,
}
READ = {
    "int": lambda _, text: int(text, 16),
    "float": lambda _, text: float(text),
    "tuple": lambda reader, nodes: tuple(reader.all(nodes)),
    "bytes": lambda _, text: base64.b64decode(text),
    "complex": lambda _, real, imaginary: complex(float.fromhex(real), float.fromhex(imaginary)),
    "frozenset": lambda reader, nodes: frozenset(reader.all(nodes)),
    "range": lambda reader, nodes: range(*reader.all(nodes)),
    "ellipsis": lambda _: ...,
    "decimal": lambda _, text: decimal.Decimal(text),
    "fraction": lambda _, above, below: fractions.Fraction(int(above, 16), int(below, 16)),
    "moment": lambda _, kind, text: DATES[kind].fromisoformat(text),
    "span": lambda _, days, seconds, microseconds: datetime.timedelta(days, seconds, microseconds),
    "view": view,
    "record": lambda reader, name, fields, nodes: collections.namedtuple(name, fields)(*reader.all(nodes)),
    "number": number,
    "iterator": lambda reader, nodes: iter(reader.all(nodes)),
}


def deepest(text):
    """How many brackets are open at once, at most; those in texts count too, which does no harm."""
    depth = most = 0
    for bracket in BRACKETS.findall(text):
        depth += 1 if bracket == b"[" else -1
        most = max(most, depth)
    return most


def builtin(value):
    """The name of what every Python has."""
    name = getattr(value, "__name__", None)
    return name if type(name) is str and name[:1] != "_" and getattr(builtins, name, None) is value else None


def drained(writer, value):
    """An iterator as what it gives."""
    items = list(itertools.islice(value, MOST_ITEMS + 1))
    if len(items) > MOST_ITEMS:
        raise TooMuch("an iterator without end")
    return ["iterator", writer.all(items)]


def error_class(names):
    """The exception of the first known name; the names before it are made to be its children, once."""
    made = error_class.made
    if tuple(names) not in made:
        first = getattr(builtins, names[0], None)
        if isinstance(first, type) and issubclass(first, BaseException):
            made[tuple(names)] = first
        else:
            shown = {"__str__": lambda error: error.shown if hasattr(error, "shown") else Exception.__str__(error)}
            made[tuple(names)] = type(names[0], (error_class(names[1:]) if names[1:] else Exception,), shown)
    return made[tuple(names)]


error_class.made = {}


def shown(error):
    """What an error says; one that cannot say it says nothing."""
    try:
        return str(error)[:1000]
    except Exception:
        return ""


def names_of(kind):
    """The names of an exception and of those that it is a child of."""
    return [str(base.__name__) for base in kind.__mro__ if issubclass(base, BaseException)]


class Line:
    """One end. `answers` is what this side does when it is asked."""

    def __init__(self, source, sink, own, theirs, answers):
        self.source, self.sink = source, sink
        self.own, self.theirs, self.answers = own, theirs, answers
        self.lock = threading.RLock()
        self.is_gone = False
        self.received, self.has_given_much = 0, False
        self.raised = []

    def has_raised(self, error):
        """Whether an error came from the other side."""
        return any(error is one for one in self.raised)

    def gone(self):
        self.is_gone = True
        return Gone()

    def send(self, message):
        text = json.dumps(message).encode() + b"\n"
        if len(text) > LONGEST:
            raise TooMuch("a value of more than %d MiB" % (LONGEST >> 20))
        try:
            self.sink.write(text)
            self.sink.flush()
        except OSError:
            raise self.gone() from None

    def heard(self):
        if self.is_gone:
            raise Gone()
        try:
            text = self.source.readline(LONGEST + 1)
            if not text.endswith(b"\n"):
                raise self.gone()
            message = json.loads(text)
            self.received += len(text)
            self.has_given_much = self.has_given_much or self.received > MUCH or deepest(text) > DEEP
            if type(message) is not list or not message:
                raise self.gone()
            return message
        except (OSError, ValueError, RecursionError):
            raise self.gone() from None

    def ask(self, what, *given, extra=None, **named):
        """Asks the other side, answers what it asks meanwhile, and gives what it answers."""
        with self.lock:
            writer = Writer(self.own)
            try:
                nodes = [writer.all(given), [[name, writer.plain(value)] for name, value in named.items()]]
            except RecursionError:
                raise TooMuch("a value that is nested too deeply") from None
            self.send(["ask", what] + nodes + [extra])
            while True:
                message = self.heard()
                if message[0] == "ask":
                    self.answer(message)
                    continue
                try:
                    told = self.told(message, writer.things)
                except (NotPlain, LookupError, TypeError, ValueError, ArithmeticError, RecursionError, ImportError):
                    raise self.gone() from None
                if isinstance(told, Raised):
                    self.raised.append(told.error)
                    raise told.error
                return told

    def told(self, message, known):
        reader = Reader(self.theirs, known)
        kind, updates, value = message[0], message[1], message[2]
        for node in updates:
            reader.update(node)
        if kind == "value":
            return reader.plain(value)
        if kind != "raised":
            raise NotPlain("no answer")
        names, note = value, message[4]
        given = reader.plain(message[3])
        kind = error_class([str(name) for name in names[:20]])
        try:
            error = kind(*given)
        except TypeError:
            error = RuntimeError("%s: %s" % (names[0], given))
        held = reader.plain(message[5])
        if type(held) is dict and all(type(name) is str for name in held):
            vars(error).update(held)
        error.shown, error.note = str(message[6]), str(note) if note else None
        return Raised(error)

    def answer(self, message):
        """Does what was asked and says what came of it."""
        reader = Reader(self.theirs)
        kind, rest, note = "value", [], None
        try:
            given = reader.all(message[2])
            named = {name: reader.plain(node) for name, node in message[3]}
            rest = [self.answers(message[1], given, named, message[4])]
        except Gone:
            raise
        except BaseException as error:
            kind, rest, note = "raised", error, self.noted(error)
        writer = Writer(self.own, reader.things)
        try:
            updates = [
                writer.content(thing, number)
                for number, thing in reader.things.items()
                if number in reader.seen and is_changed(thing, reader.seen[number])
            ]
            if kind == "value":
                self.send([kind, updates, writer.plain(rest[0])])
                return
        except (NotPlain, RecursionError) as error:
            kind, rest = "raised", NotPlain(str(error) or "a value that is nested too deeply")
            updates, writer = [], Writer(self.own)
        try:
            given = writer.plain(tuple(rest.args))
            held = {name: value for name, value in vars(rest).items() if type(name) is str}
            self.send([kind, updates, names_of(type(rest)), given, note, writer.plain(held), shown(rest)])
        except (NotPlain, RecursionError):
            self.send([kind, [], names_of(type(rest)), ["tuple", [shown(rest)]], note, None, shown(rest)])

    @staticmethod
    def noted(_):
        return None


class Raised:
    """What the other side raised."""

    def __init__(self, error):
        self.error = error
