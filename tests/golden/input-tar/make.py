import io
import pathlib
import sys
import tarfile

FORMATS = {"plain.tar": ("w", tarfile.GNU_FORMAT), "packed.tgz": ("w:gz", tarfile.PAX_FORMAT)}
LONG = "/".join(["a-folder-with-a-rather-long-name"] * 6)


def pod(name):
    return '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"}}' % name


def add(tar, name, text):
    member = tarfile.TarInfo(name)
    member.size = len(text)
    tar.addfile(member, io.BytesIO(text.encode()))


for name, (mode, form) in FORMATS.items():
    stem = name.split(".")[0]
    with tarfile.open(pathlib.Path(sys.argv[1]) / name, mode, format=form) as tar:
        folder = tarfile.TarInfo("./bundle")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        add(tar, "./bundle/node.yaml", """apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
""")
        add(tar, "bundle/" + LONG + "/" + stem + ".json", pod(stem))
        add(tar, "bundle/" + "p" * 90 + "/short.json", pod(stem + "-short"))
        add(tar, "bundle/kubelet.log", "E0101 not { an object\n" * 1000)
        add(tar, "bundle/.hidden.yaml", "not: [read")
        link = tarfile.TarInfo("bundle/link.yaml")
        link.type, link.linkname = tarfile.SYMTYPE, "nowhere.yaml"
        tar.addfile(link)
