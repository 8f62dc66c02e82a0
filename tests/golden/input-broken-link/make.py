import os
import sys

os.symlink("nowhere", sys.argv[1] + "/pod.yaml")
