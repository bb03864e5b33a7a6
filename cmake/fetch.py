"""Fetches one pinned file with pip into a cache folder and unpacks the wanted parts of it.

    fetch.py --cache DIR --name NAME --version V --sha256 H --kind sdist|wheel --into DIR MEMBER_PREFIX...

Called by cmake/dependencies.cmake. Does nothing, and needs no network, when the folder is already there. pip is used because it
knows the mirrors, proxies and certificates of the machine; the hash is checked by pip and again here.
"""

import argparse
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# pip asks a source archive's build backend for its metadata before it hands the archive over. This one answers that question
# without any of the real backend's needs, so that nothing but the pinned archive itself is downloaded or run.
BACKEND = '''
import os
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    info = "{module}-{version}.dist-info"
    os.makedirs(os.path.join(folder, info))
    with open(os.path.join(folder, info, "METADATA"), "w") as f:
        f.write("Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    return info
def build_wheel(*args, **kwargs): raise SystemExit("not meant to be built")
build_sdist = build_wheel
'''


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def download(args, folder):
    """pip downloads the archive into folder; returns its path."""
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{args.name}=={args.version} --hash=sha256:{args.sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check",
               "--require-hashes", "-r", str(requirement), "-d", str(folder / "out")]
    environment = dict(os.environ)
    if args.kind == "sdist":
        backend = folder / "backend" / "scikit_build_core"
        backend.mkdir(parents=True)
        (backend / "__init__.py").touch()
        (backend / "build.py").write_text(
            BACKEND.format(name=args.name, module=args.name.replace("-", "_"), version=args.version))
        environment["PYTHONPATH"] = str(backend.parent)
        command += ["--no-build-isolation", "--no-binary", args.name]
    else:  # always the same wheel, whatever Python this is
        command += ["--only-binary=:all:", "--python-version", "311"]
        for glibc in ("2_28", "2_17", "2_12"):
            command += ["--platform", f"manylinux_{glibc}_x86_64"]
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    files = list((folder / "out").glob("*")) if result.returncode == 0 else []
    if len(files) != 1:
        sys.exit(f"{result.stdout}\nfetch.py: pip could not download {args.name} {args.version}")
    return files[0]


def unpack(archive, prefixes, into):
    """Unpacks the members below prefixes; the archive's own top folder is dropped."""
    def wanted(name):
        return any(name == p or name.startswith(p.rstrip("/") + "/") for p in prefixes) and ".." not in name.split("/")

    if tarfile.is_tarfile(archive):
        with tarfile.open(archive) as tar:
            for member in tar:
                name = member.name.partition("/")[2]
                if member.isfile() and wanted(name):
                    write(into / name, tar.extractfile(member))
    else:
        with zipfile.ZipFile(archive) as wheel:
            for member in wheel.infolist():
                if not member.is_dir() and wanted(member.filename):
                    with wheel.open(member) as source:
                        write(into / member.filename, source)
                    if "bin" in member.filename.split("/"):  # programs, whose run bits the archive has lost
                        (into / member.filename).chmod(0o755)


def write(path, source):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as f:
        shutil.copyfileobj(source, f)


def main():
    parser = argparse.ArgumentParser()
    for option in ("cache", "name", "version", "sha256", "kind", "into"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("members", nargs="+")
    args = parser.parse_args()
    into = pathlib.Path(args.into)
    cache = pathlib.Path(args.cache)
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several build folders may be configured at once
        if into.exists():
            return
        print(f"-- fetching {args.name} {args.version}", flush=True)
        with tempfile.TemporaryDirectory(dir=cache) as name:
            folder = pathlib.Path(name)
            archive = download(args, folder)
            if sha256(archive) != args.sha256:
                sys.exit(f"fetch.py: {archive.name} has the wrong SHA-256")
            unpack(archive, args.members, folder / "tree")
            into.parent.mkdir(parents=True, exist_ok=True)
            (folder / "tree").rename(into)


main()
