import os
import sys

os.chdir(sys.argv[1])
os.makedirs("tree/real/deep")
os.makedirs("elsewhere")
with open("elsewhere/node.yaml", "w") as out:
    out.write("""apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
""")
with open("tree/real/deep/pod.yaml", "w") as out:
    out.write("{apiVersion: v1, kind: Pod, metadata: {name: web}}")
os.symlink("../elsewhere/node.yaml", "tree/node.yaml")  # a file is followed
os.symlink("real", "tree/again")                        # a folder is read once
os.symlink("../..", "tree/real/up")                     # circles end
os.symlink("nowhere", "tree/broken")                    # no manifest by its name
os.mkfifo("tree/pipe.yaml")                             # would never end
