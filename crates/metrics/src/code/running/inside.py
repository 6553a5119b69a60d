"""Runs a solution and then its tests, each by itself, and writes down what became of each.

What it writes ends with a word that it was given on standard input, before the solution ran: a solution that ends the
program early, or writes the file itself, does not have it.
"""

import json
import os
import sys


def told(error):
    text = str(error)
    return type(error).__name__ + (": " + text[:300] if text else "")


def main():
    given = json.loads(sys.stdin.readline())
    sys.stdin = open(os.devnull)
    names = {"__name__": "__main__", "__file__": "solution.py"}
    found = {"solution": None, "tests": []}
    try:
        with open("solution.py", encoding="utf-8") as file:
            exec(compile(file.read(), "solution.py", "exec"), names)
    except BaseException as error:
        found["solution"] = told(error)
    else:
        for number, test in enumerate(given["tests"]):
            try:
                exec(compile(test, "test %d" % number, "exec"), names)
                found["tests"].append(None)
            except BaseException as error:
                found["tests"].append(told(error))
    found["word"] = given["word"]
    with open("report.json", "w", encoding="utf-8") as file:
        json.dump(found, file)
        file.flush()


main()
