import os, sys

os.mkdir(sys.argv[1] + "/empty")
