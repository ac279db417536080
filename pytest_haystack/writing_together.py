"""When to write what comes in faster than it can be written one at a time."""

from __future__ import annotations

import time

#: What took fewer seconds to get may wait for what follows.
_AT_ONCE = 0.005
#: Seconds that it waits, at most.
_GATHERING = 0.5
#: Of all there is, this part may wait: of little nothing.
_SHARE = 1 / 8


class WritingTogether:
    """Tells when those that wait are to be written, in one go.

    What waits is lost where the process is killed. It was got in `_GATHERING` seconds and is a small part of all, so
    that getting it again costs next to nothing; whatever took longer to get never waits.
    """

    def __init__(self) -> None:
        self._written = 0
        self._waiting = 0
        self._since = 0.0

    def add(self, seconds: float | None) -> bool:
        """One more, which took so many seconds to get (None is unknown): true where all that wait are due now."""
        now = time.monotonic()
        if not self._waiting:
            self._since = now
        self._waiting += 1
        quick = seconds is not None and seconds < _AT_ONCE
        return not quick or self._waiting > _SHARE * self._written or now - self._since > _GATHERING

    @property
    def overdue(self) -> bool:
        """True where something has waited for long enough."""
        return bool(self._waiting) and time.monotonic() - self._since > _GATHERING

    def done(self) -> None:
        """All that waited has been written."""
        self._written += self._waiting
        self._waiting = 0
