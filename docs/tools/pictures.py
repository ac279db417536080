"""The pictures of the documentation, from sweeps of the embedded reader: python docs/tools/pictures.py"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
PICTURES = TOOLS.parent / "pictures"
#: Each sweep file, and which of its pictures are kept under which name.
SWEEPS = {
    TOOLS / "pictures.yaml": {
        "heatmap-lost-single.png": "heatmap-one.png",
        "heatmap.png": "heatmap-all.png",
        "radar.png": "radar.png",
        "curve-multi.png": "curve.png",
        "position-key_value.png": "position.png",
    },
    TOOLS.parents[1] / "examples" / "quickstart.yaml": {"heatmap.png": "quickstart-heatmap.png"},
}


def main() -> None:
    """Run each sweep and keep its pictures; raises where a run or a picture is missing."""
    PICTURES.mkdir(exist_ok=True)
    for config, wanted in SWEEPS.items():
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2"]
            command += ["--haystack-config", str(config), "--haystack-report-dir", folder, "--haystack-store", folder]
            result = subprocess.run(command, check=False, cwd=TOOLS.parents[1])
            if result.returncode != 0:
                raise SystemExit(f"{config.name}: exit code {result.returncode}")
            for made, kept in wanted.items():
                shutil.copyfile(Path(folder, made), PICTURES / kept)
    print(f"wrote {PICTURES}")


if __name__ == "__main__":
    main()
