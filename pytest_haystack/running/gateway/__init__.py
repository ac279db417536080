"""The one process of a machine that paid requests leave through: limits, retries and answers in one place.

`process` starts it, `client` asks it; everything else runs in the child.
"""
