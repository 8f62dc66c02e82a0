"""10,000 levels of nesting."""
import pathlib
import sys

text = "apiVersion: v1\nkind: Pod\nx: " + "[" * 10000 + "]" * 10000 + "\n"
pathlib.Path(sys.argv[1], "deep.yaml").write_text(text)
