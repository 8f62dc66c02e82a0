"""10,000 levels of nesting."""
import pathlib
import sys

text = '{"apiVersion": "v1", "kind": "Pod", "x": ' + "[" * 10000 + "]" * 10000 + "}"
pathlib.Path(sys.argv[1], "deep.json").write_text(text)
