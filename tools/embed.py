#!/usr/bin/env python3
"""Turns files into one C source with an array of bytes for each.

usage: embed.py OUTPUT.c NAME=FILE...

For each NAME the source defines `const char stow_embedded_NAME[]` and
`const size_t stow_embedded_NAME_len`; a zero byte follows the content.
"""

import sys
from pathlib import Path


def quoted(data):
    """Lines of C string literals; every byte that could mislead is written in octal."""
    for start in range(0, len(data), 80):
        text = ""
        for byte in data[start:start + 80]:
            plain = 32 <= byte < 127 and byte not in b'"\\?'
            text += chr(byte) if plain else f"\\{byte:03o}"
        yield f'    "{text}"'


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    out = ["/* Written by tools/embed.py; not to be edited. */", "#include <stddef.h>", ""]
    for argument in sys.argv[2:]:
        name, _, path = argument.partition("=")
        data = Path(path).read_bytes()
        out += [f"extern const char stow_embedded_{name}[];",
                f"extern const size_t stow_embedded_{name}_len;",
                f"const char stow_embedded_{name}[] ="]
        out += list(quoted(data)) or ['    ""']
        out += ["    ;", f"const size_t stow_embedded_{name}_len = {len(data)};", ""]
    Path(sys.argv[1]).write_text("\n".join(out), encoding="ascii")


if __name__ == "__main__":
    main()
