"""Writes character_names.txt: the names that Python's `\\N{…}` knows, from Python's own table.

Names stand in the order of their characters. A line is a sign for how many letters it shares with the line before (`!` for none, `"` for one
and so on) and the rest of the name; `~` and a number say at which character the next line is. Names of the Hangul syllables and of the Chinese
characters of the unified blocks follow from their numbers and are left out. Aliases come last, each behind the number of its character.

    python3 crates/text/data/character_names.py
"""

import pathlib
import re
import subprocess
import sys
import unicodedata

FIRST = 0x21
LONGEST = 0x7D - FIRST

lines = [f"# Unicode {unicodedata.unidata_version}"]
before, expected = "", -1
known = {}
for code in range(sys.maxunicode + 1):
    name = unicodedata.name(chr(code), "")
    if not name or name.startswith(("CJK UNIFIED IDEOGRAPH-", "HANGUL SYLLABLE ")):
        continue
    known[name] = code
    if code != expected:
        lines.append(f"~{code:x}")
    shared = 0
    while shared < min(len(before), len(name), LONGEST) and before[shared] == name[shared]:
        shared += 1
    lines.append(chr(FIRST + shared) + name[shared:])
    before, expected = name, code + 1

# Python knows the aliases but cannot list them; Perl's table can.
listed = subprocess.run(
    ["perl", "-e", 'print do "unicore/Name.pl"'], check=True, capture_output=True, text=True
).stdout
aliases = {}
for alias in re.findall(r"^[0-9A-F ]+\n(.+)$|\t(.+)$", listed, re.MULTILINE):
    for name in filter(None, alias):
        try:
            code = ord(unicodedata.lookup(name))
        except (KeyError, TypeError):
            continue
        if name not in known and not name.startswith(("CJK UNIFIED", "HANGUL SYLLABLE")):
            aliases[name] = code
for name, code in sorted(aliases.items()):
    lines += [f"~{code:x}", "!" + name]

target = pathlib.Path(__file__).with_name("character_names.txt")
target.write_text("\n".join(lines) + "\n", encoding="ascii")
print(f"{target}: {len(known)} names, {len(aliases)} aliases, {target.stat().st_size} bytes")
