#!/usr/bin/env python3
"""Writes `src/python/tables.rs`: what Python itself answers about every character.

Run it with the Python whose behaviour is wanted (3.11 carries Unicode 14.0):

    python3.11 crates/text/tools/python_tables.py CRATE > crates/text/src/python/tables.rs && cargo fmt -p probare-text

CRATE is the file `src/tables.rs` of the crate `unicode-general-category`, whose categories are asked for what Python knows, too.
"""

import re
import sys
import unicodedata
from pathlib import Path

# Surrogates are no Unicode scalar values, so a Rust string never holds one.
CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
CAPITAL_SIGMA = "\u03a3"
FINAL_SIGMA = "\u03c2"


def boundaries(holds):
    """Codes beyond ASCII at which `holds` changes, from false to true first."""
    found, inside, previous = [], False, 0x7F
    for character in CHARACTERS:
        code = ord(character)
        if code < 0x80:
            continue
        # The gap of the surrogates ends a run.
        if inside and code != previous + 1:
            found.append(previous + 1)
            inside = False
        if holds(character) != inside:
            found.append(code)
            inside = not inside
        previous = code
    return found + [previous + 1] if inside else found


def assigned(tables):
    """The codes that have a category in the tables of the crate."""
    found = set()
    for first, last, category in re.findall(r"\((\d+), (\d+), (?:GeneralCategory::)?(\w+)\)", tables):
        if category != "Unassigned":
            found.update(range(int(first), int(last) + 1))
    return found


def ends_with_final_sigma(text):
    return text.lower().endswith(FINAL_SIGMA)


def is_cased(character):
    """A sigma after it, with nothing else before, is final: it is cased and not skipped."""
    return ends_with_final_sigma("1" + character + CAPITAL_SIGMA)


def is_case_ignorable(character):
    """A sigma after it sees through it to the letter before."""
    return ends_with_final_sigma("A" + character + CAPITAL_SIGMA) and not is_cased(character)


def lower_case_steps():
    """(first, last, step, difference) of the characters beyond ASCII whose lower case is one other character."""
    found = []
    for character in CHARACTERS:
        code, lowered = ord(character), character.lower()
        if code < 0x80 or lowered == character:
            continue
        if len(lowered) != 1:
            assert character == "\u0130" and lowered == "i\u0307", "only the dotted capital I grows"
            continue
        difference = ord(lowered) - code
        if found and found[-1][3] == difference:
            first, last, step, _ = found[-1]
            gap = code - last
            if gap <= 2 and (step == gap or first == last):
                found[-1][1], found[-1][2] = code, gap
                continue
        found.append([code, code, 1, difference])
    return found


def write(name, documentation, holds):
    print(f"\n/// {documentation}")
    print(f"pub(super) const {name}: &[u32] = &[")
    print(", ".join(f"0x{code:x}" for code in boundaries(holds)))
    print("];")


def main():
    print("//! Character tables of Python, beyond ASCII.")
    print("//!")
    print(f"//! Written by `tools/python_tables.py` under Python {sys.version_info[0]}.{sys.version_info[1]}, ", end="")
    print(f"Unicode {unicodedata.unidata_version}. Do not edit by hand.")
    print("//! A table lists the codes at which its answer changes: before the first entry it is no, from it on yes, and so on.")
    newer = assigned(Path(sys.argv[1]).read_text(encoding="utf-8"))
    write("LATER", "Assigned after Unicode 14.0.0, up to 16.0.0.", lambda c: unicodedata.category(c) == "Cn" and ord(c) in newer)
    write("NUMERIC", "`str.isnumeric`.", str.isnumeric)
    write("DIGIT", "`str.isdigit`.", str.isdigit)
    write("DECIMAL", "`str.isdecimal`.", str.isdecimal)
    write("SPACE", "`str.isspace`.", str.isspace)
    write("UPPER_CASE", "`str.isupper` of one character.", str.isupper)
    write("LOWER_CASE", "`str.islower` of one character.", str.islower)
    write("CASED", "Cased and not case-ignorable: what makes a capital sigma final.", is_cased)
    write("CASE_IGNORABLE", "Case-ignorable: what the search around a capital sigma skips.", is_case_ignorable)
    print("\n/// `str.lower` of one character: first, last, step, and what is added to the code.")
    print("pub(super) const TO_LOWER_CASE: &[(u32, u32, u32, i32)] = &[")
    for first, last, step, difference in lower_case_steps():
        print(f"(0x{first:x}, 0x{last:x}, {step}, {difference}),")
    print("];")


main()
