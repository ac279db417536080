"""Other builders of needle-in-a-haystack contexts, from PyPI, each in a venv of its own.

The venvs are kept in the user's cache folder, so that they are installed once. A peer that cannot be installed or run
is told with the reason.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.figures import NEEDLE, ROOT
from pytest_haystack.cache import cache_folder
from pytest_haystack.haystacks.essays import essay_files
from pytest_haystack.tokens.vocabularies import vocabulary_folder

#: Seconds for an installation, and for the measurements of one peer.
_INSTALLING, _MEASURING = 600, 600


@dataclass(frozen=True)
class Peer:
    """A release on PyPI; ``script`` measures it, ``python`` is the least version (minor of 3) that it runs on."""

    name: str
    requirement: str
    script: str
    python: int = 9


@dataclass(frozen=True)
class Building:
    """CPU milliseconds of a cell's context and how many tokens it had; ``first`` is the first cell of a length."""

    later: float
    tokens: int
    first: float | None = None


PEERS = (
    Peer("needlehaystack 2.0", "needlehaystack==2.0.0", "needlehaystack_2.py", python=12),
    Peer("needlehaystack 0.1.0", "needlehaystack==0.1.0", "needlehaystack_0_1.py"),
    Peer("haystackbench 0.1.0", "haystackbench==0.1.0", "haystackbench_0_1.py"),
)


class AbsentError(Exception):
    """A peer that is not to be had here, with the reason."""


def building_times(peer: Peer, lengths: Sequence[int], seconds: float) -> dict[int, Building]:
    """How long a peer takes for a context of each length, of at least ``seconds`` of CPU. Raises AbsentError."""
    python = _installed(peer)
    environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(vocabulary_folder("cl100k_base")), "HOME": str(Path.home())}
    environment.pop("PYTHONPATH", None)
    with TemporaryDirectory() as folder:
        write_essays(Path(folder))
        script = ROOT / "benchmarks" / "peer_scripts" / peer.script
        command = [str(python), str(script), folder, NEEDLE, str(seconds), *map(str, lengths)]
        done = _run(command, _MEASURING, environment, folder)
    found = json.loads(done.splitlines()[-1])
    return {int(length): Building(**figures) for length, figures in found.items()}


def install_all() -> None:
    """Install the peers that are not here, all at once; whoever measures one is told what went wrong."""

    def install(peer: Peer) -> None:
        with suppress(AbsentError):
            _installed(peer)

    with ThreadPoolExecutor(len(PEERS)) as threads:
        list(threads.map(install, PEERS))


def write_essays(folder: Path) -> None:
    """The bundled essays as a folder of texts, which one after the other are what our source reads."""
    for number, (file, _) in enumerate(essay_files()):
        text = file.read_text(encoding="utf-8").strip("\n")
        (folder / f"{number:03}.txt").write_text(f"{text}\n\n", encoding="utf-8")


def _installed(peer: Peer) -> Path:
    """The Python of a peer's venv."""
    folder = cache_folder("benchmarks") / peer.requirement.replace("==", "-")
    python = folder / "bin" / "python"
    done = folder / "installed"
    if not done.exists():
        own = next((one for one in _pythons() if _minor_version(one) >= peer.python), None)
        if own is None:
            raise AbsentError(f"needs Python 3.{peer.python} or later, which is not here")
        _run([own, "-m", "venv", "--clear", str(folder)], _INSTALLING)
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", peer.requirement]
        _run(pip, _INSTALLING)
        done.touch()
    return python


def _run(command: Sequence[str], seconds: float, environment: dict[str, str] | None = None, cwd: str = ".") -> str:
    try:
        done = subprocess.run(
            command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AbsentError(str(error).partition("\n")[0]) from None
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()
        raise AbsentError(words[-1])
    return done.stdout


def _pythons() -> Iterator[str]:
    """Interpreters that may be here, the running one first."""
    yield sys.executable
    names = [f"python3.{minor}" for minor in range(15, 8, -1)]
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    folders += sorted(Path.home().glob(".pyenv/versions/*/bin"), reverse=True)
    yield from (str(folder / name) for folder in folders for name in names if (folder / name).exists())


def _minor_version(python: str) -> int:
    """The minor version of Python 3, -1 where the program does not run."""
    code = "import sys; print(sys.version_info[1])"
    try:
        return int(_run([python, "-c", code], 30))
    except (AbsentError, ValueError):
        return -1
