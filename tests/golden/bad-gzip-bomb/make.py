import gzip
import pathlib
import sys

to = pathlib.Path(sys.argv[1])
(to / "bomb.json").write_bytes(gzip.compress(bytes(100 << 20)))
