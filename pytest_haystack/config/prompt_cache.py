"""``prompt_cache``: how a model's provider is helped to cache what the prompts of a sweep have in common."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

#: ``automatic`` leaves it to the provider. ``explicit`` marks where the shared beginning of each prompt ends, for
#: providers that cache up to such breakpoints (``cache_control``) alone and charge for what they put there.
PromptCache = Annotated[
    Literal["automatic", "explicit"],
    Field(description="explicit: mark with cache_control where the prompts' shared beginning ends."),
]
