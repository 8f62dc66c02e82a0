import os
import sys

# Relative, so that the path does not grow too long for the file system.
os.chdir(sys.argv[1])
for _ in range(80):
    os.mkdir("d")
    os.chdir("d")
