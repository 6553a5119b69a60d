"""Quotations checked in Python: exact, then normalised, then with omissions, then the nearest stretch.

usage: quotations_reference.py FILE rapidfuzz|rapidfuzz-cutoff|difflib MOST
FILE holds {"content": text, "citations": [quotation, ...]}; the first MOST citations are checked.
Prints one JSON object with processor seconds, library version, and for each citation whether it was found.
Reading the file and importing the library are not timed.

The content is normalised once for all citations. The nearest stretch is what a script would take: the alignment of
rapidfuzz's partial_ratio, or the stretch around difflib's longest match with the content as the sequence it keeps an
index of. A citation is found nearly from a similarity of 0.9 on. With a cutoff rapidfuzz may give up on stretches that
are further away, so that a citation that is not found has no nearest stretch.
"""

import json
import re
import sys
import time
import unicodedata

MARKS = {ord(mark): plain for marks, plain in (("“”„«»", '"'), ("‘’‚‹›`´", "'"), ("‐‑‒–—―−", "-")) for mark in marks}
MARKS[ord("…")] = "..."
MARGIN = " \"'.,;:!?-()[]"
OMISSION = re.compile(r"\[\.\.\.\]|\(\.\.\.\)|\.\.\.")
NEAR = 0.9


def normalise(text):
    return " ".join(unicodedata.normalize("NFC", text).translate(MARKS).split()).lower()


def has_parts_in_order(quote, content):
    parts = [part.strip(MARGIN) for part in OMISSION.split(quote)]
    parts = [part for part in parts if part]
    at = 0
    for part in parts:
        found = content.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(parts) > 1


def by_rapidfuzz(content, cutoff=None):
    import rapidfuzz
    from rapidfuzz.distance import Levenshtein

    def is_near(quote):
        place = rapidfuzz.fuzz.partial_ratio_alignment(quote, content, score_cutoff=cutoff)
        if place is None:
            return False
        stretch = content[place.dest_start : place.dest_end]
        return 1 - Levenshtein.distance(quote, stretch) / len(quote) >= NEAR

    return is_near, "rapidfuzz " + rapidfuzz.__version__


def by_rapidfuzz_with_cutoff(content):
    # partial_ratio counts differently from the edit distance that decides, so it gets some room.
    return by_rapidfuzz(content, 85)


def by_difflib(content):
    import difflib

    matcher = difflib.SequenceMatcher(None, "", content, autojunk=False)

    def is_near(quote):
        matcher.set_seq1(quote)
        block = matcher.find_longest_match()
        start = max(0, block.b - block.a)
        stretch = content[start : start + len(quote)]
        return difflib.SequenceMatcher(None, quote, stretch, autojunk=False).ratio() >= NEAR

    return is_near, "difflib of Python " + sys.version.split()[0]


MATCHERS = {"rapidfuzz": by_rapidfuzz, "rapidfuzz-cutoff": by_rapidfuzz_with_cutoff, "difflib": by_difflib}


def main():
    path, matcher, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    content, citations = data["content"], data["citations"][:most]
    prepare = MATCHERS[matcher]
    prepare("")
    start = time.process_time()
    normal = normalise(content)
    is_near, version = prepare(normal)
    found = []
    for quote in citations:
        if quote.strip() in content:
            found.append(True)
            continue
        plain = normalise(quote).strip(MARGIN)
        found.append(plain in normal or has_parts_in_order(plain, normal) or is_near(plain))
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "version": version, "found": found}))


if __name__ == "__main__":
    main()
