"""What is raised, in the words of the command line."""

from __future__ import annotations

import errno


class Error(Exception):
    """Something could not be done. `hint` says what to do about it, where that is known."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n\nhint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint)


class UsageError(Error, ValueError):
    """The arguments are wrong: an unknown metric, an option that does not fit. Exit code 64 of the command line."""


class WrongTypeError(UsageError, TypeError):
    """An argument has a type that it cannot have."""


class UnknownMetricError(UsageError, KeyError):
    """Results have no metric of this name."""


class MissingKeyError(UsageError, KeyError):
    """The environment variable that holds the key of a model is not set."""


class DataError(Error):
    """A file, a row or a machine is in the way. Exit code 1 of the command line."""


class MissingFileError(DataError, FileNotFoundError):
    """A file is not there."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.errno = errno.ENOENT


class ScoreError(Error):
    """A case has no score where one is needed.

    `kind` is `not_applicable`, or one of the kinds of failure: `failed`, `refused`, `unparseable`, `missing`,
    `timed_out`, `cancelled`.
    """

    def __init__(self, message: str, kind: str = "failed", hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.kind, self.hint)


class MissingPackageError(Error, ImportError):
    """A package is missing that not everybody needs."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        Error.__init__(self, message, hint)


class ProbareWarning(UserWarning):
    """Something about the rows that a reader of the numbers should know."""
