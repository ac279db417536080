"""The folder that holds the gateway's socket: private, and gone when the gateway is."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

_PREFIX = "pytest-haystack-gateway-"
_SOCKET = "socket"
#: The kernel keeps socket paths in about a hundred bytes (104 on macOS, 108 on Linux).
_LONGEST_PATH = 100
#: Seconds that a gateway may take from making its folder to listening in it.
_STARTING = 60.0


def socket_path() -> Path | None:
    """Path for a new socket in a new folder that only this user can enter; None where a port must do."""
    if sys.platform == "win32" or not hasattr(socket, "AF_UNIX"):
        return None
    path = Path(tempfile.mkdtemp(prefix=_PREFIX)) / _SOCKET
    if len(os.fsencode(path)) > _LONGEST_PATH:
        remove(path)
        return None
    return path


def remove(path: Path) -> None:
    """Remove a socket with its folder."""
    shutil.rmtree(path.parent, ignore_errors=True)


def clean_up() -> None:
    """Remove folders that gateways of this user left behind when they were killed."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            facts = folder.lstat()
            if facts.st_uid == os.getuid() and folder.is_dir() and not folder.is_symlink():
                path = folder / _SOCKET
                young = time.time() - facts.st_mtime < _STARTING
                if _deserted(path) if path.exists() else not young:
                    remove(path)
        except OSError:
            continue  # another gateway was faster


def _deserted(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
    return False
