"""The numbers below a bound in an order that looks random, each once, without a list of them."""

from __future__ import annotations


class Permutation:
    """The n-th number of a shuffled ``range(size)`` for each n below ``size``.

    Multiplying by an odd number and adding the upper half of the bits to the lower half can both be undone, so they
    shuffle all numbers of so many bits among themselves; those beyond the bound are shuffled on until they are
    within it (cycle walking, Black and Rogaway 2002).
    """

    __slots__ = ("_key", "_mask", "_shift", "_step", "size")

    def __init__(self, size: int, key: int) -> None:
        """``size`` is at least 1; ``key`` (64 bits) chooses the order."""
        self.size = size
        bits = max((size - 1).bit_length(), 2)
        self._mask = (1 << bits) - 1
        self._shift = (bits + 1) // 2
        # Factors of bits that are spread evenly: the golden ratio's fraction, and the key's.
        self._step = (0x9E3779B97F4A7C15F39CC0605CEDC835 >> max(128 - bits, 0)) | 1
        self._key = (key | 1) & self._mask

    def __getitem__(self, n: int) -> int:
        mask, shift, step, key = self._mask, self._shift, self._step, self._key
        while True:
            n = (n * step + key) & mask
            n ^= n >> shift
            n = (n * key) & mask
            n ^= n >> shift
            n = (n * step) & mask
            if n < self.size:
                return n
