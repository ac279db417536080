"""Where a cell's trial is put together: needles, question, document, prompt."""

from __future__ import annotations

import os
import random
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_haystack.config.environment import Environment
from pytest_haystack.config.haystack import HaystackEntry
from pytest_haystack.config.loader import LoadedConfig, load_config
from pytest_haystack.config.schema import Config, ModelEntry, PromptEntry, TaskEntry
from pytest_haystack.documents.builder import build_document
from pytest_haystack.documents.composed import composed_document
from pytest_haystack.documents.document import Document, Insert, Placement
from pytest_haystack.documents.haystack_text import HaystackText, Window
from pytest_haystack.errors import ConfigError, NotFetchedError, SourceError
from pytest_haystack.haystacks.arranged import Arranged
from pytest_haystack.haystacks.source import Source
from pytest_haystack.known_failures import idle_entries
from pytest_haystack.models.event_loop import EventLoop
from pytest_haystack.models.model import Prompt
from pytest_haystack.models.redaction import Redactor, secret_values
from pytest_haystack.needles.needle import Needle
from pytest_haystack.registry import Registry
from pytest_haystack.running.batches import Batches
from pytest_haystack.running.gate_cells import check_gates, gate_notes
from pytest_haystack.running.judging import judges_of
from pytest_haystack.running.prompts import PRESETS, PromptTemplate
from pytest_haystack.running.sizing import check_fit, reserve
from pytest_haystack.running.stopping import check_trials
from pytest_haystack.running.token_ratio import TokenRatios
from pytest_haystack.searches import make_searches
from pytest_haystack.sweep import Cell, make_cells, repeated, trial_seed
from pytest_haystack.tasks.task import Ask, Task, TrialContext
from pytest_haystack.tokens.encoding import Encoding
from pytest_haystack.tokens.kept_counts import KeptCounts
from pytest_haystack.tokens.vocabularies import encoding_of

if TYPE_CHECKING:
    from pytest_haystack.running.replay import Replay
    from pytest_haystack.running.store.kept import KeptAnswers

_LONG_QUESTION = "word " * 64
#: Prompts of more characters are made again rather than kept beside another one.
_LARGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Material:
    """What one trial of a cell asks, ready to be sent."""

    needles: tuple[Needle, ...]
    ask: Ask
    document: Document
    prompt: Prompt


class Workbench:
    """Makes the material of any cell of one sweep; one instance a process and config.

    Everything follows from the config: the same cell and trial give the same prompt in every process.
    """

    #: What this process keeps of the answers that it gets itself, None where it keeps none.
    kept: KeptAnswers | None = None
    #: The rows that are answered from, None where models are asked.
    replay: Replay | None = None

    def __init__(self, loaded: LoadedConfig, registry: Registry, environ: Mapping[str, str] = os.environ) -> None:
        """Raises ConfigError where a task, prompt or cell cannot be."""
        self.loaded = loaded
        self.environ = environ
        self.config: Config = loaded.config
        self.registry = registry
        self.entries: dict[str, TaskEntry] = {entry.id: entry for entry in self.config.tasks}
        self.models: dict[str, ModelEntry] = {entry.id: entry for entry in self.config.models}
        self.tasks: dict[str, Task] = {entry.id: self._task(entry) for entry in self.config.tasks}
        self.templates = {entry.id: self._template(index, entry) for index, entry in enumerate(self.config.tasks)}
        #: Models that scorers ask, by the task whose answers they judge.
        self.judges: dict[str, ModelEntry] = judges_of(self.config, registry)
        depth_matters = {name: task.depth_matters for name, task in self.tasks.items()}
        parts = {name: task.prompts_per_trial for name, task in self.tasks.items()}
        self.cells = tuple(repeated(cell, parts[cell.task]) for cell in make_cells(loaded, depth_matters))
        self.searches = make_searches(loaded, depth_matters, parts)
        #: The cells that searches may ask; the sweep may have some of them as well.
        self.search_cells = tuple(dict.fromkeys(cell for search in self.searches for cell in search.cells()))
        self.ratios = TokenRatios()
        # Those of the sweep first: what a search adds must not change their prompts.
        self._numbers = _numbered((*self.cells, *self.search_cells))
        self._sources: dict[str, Source] = {}
        self._texts: dict[str, tuple[int, HaystackText]] = {}
        #: Context windows (tokens) of models, as far as they have been looked up.
        self.windows: dict[str, int | None] = {}
        #: What tells the texts of tasks apart.
        self._keys: dict[str, str] = {}
        self._recent: OrderedDict[tuple[Cell, int], Material] = OrderedDict()
        self._batches: Batches[Material] = Batches()

    @cached_property
    def encoding(self) -> Encoding:
        """The tokenizer that lengths are measured with."""
        try:
            return encoding_of(self.config.tokenizer, self.loaded.path.parent)
        except ConfigError as error:
            where = f"{self.loaded.path.name}:{self.loaded.line_of('tokenizer')}: tokenizer"
            raise ConfigError(f"{where}: {error}") from None

    @cached_property
    def counts(self) -> KeptCounts:
        """Tokens of what stands around documents, in runs that make none."""
        return KeptCounts(self.encoding)

    @cached_property
    def loop(self) -> EventLoop:
        """Where coroutines of a user's own model run, always the same: it may keep its HTTP client."""
        return EventLoop()

    @cached_property
    def redact(self) -> Redactor:
        """Takes keys out of a text: those that the config names, and whatever the environment put into it."""
        named = {entry.api_key_env for entry in self.config.models if entry.api_key_env}
        named.update(name for entry in self.config.models for name in entry.headers_env.values())
        inserted = (re.findall(r"\$\{(\w+)\}", text) for text in self.loaded.templates.values())
        return Redactor(secret_values(self.environ, named.union(*inserted)))

    def twin(self) -> Workbench:
        """Another one of the same sweep, for another thread; they share what neither changes."""
        twin = copy(self)
        twin.tasks = {entry.id: twin._task(entry) for entry in self.config.tasks}
        twin.ratios, twin._recent, twin._filled = TokenRatios(), OrderedDict(), (None, 0, "")
        twin._batches = Batches()
        return twin

    def material(self, cell: Cell, trial: int = 0) -> Material:
        """Needles, question, document and prompt of a trial (from 0).

        Raises DocumentError where the document cannot hold the needles, SourceError where there is no text.
        """
        key = (cell, trial)
        if key in self._recent:
            self._recent.move_to_end(key)
        else:
            # Only what fixtures of the running item share is kept; a document of a million tokens makes way at once.
            while len(self._recent) > 1 or any(len(kept.prompt) > _LARGE for kept in self._recent.values()):
                self._recent.popitem(last=False)
            self._recent[key] = self._made(cell, trial) if trial else self._batches.get(cell, self._made)
        return self._recent[key]

    def _made(self, cell: Cell, trial: int = 0) -> Material:
        context = self.context(cell, trial)
        needles = self.tasks[cell.task].needles(context)
        # The question is asked with the dice as they were before the needles were drawn.
        context.rng.seed(self._seeds(cell, trial)[1])
        return self._assembled(cell, needles, context)

    def assemble(self, cell: Cell, trial: int, needles: Sequence[Needle], document: Document | None = None) -> Material:
        """The material with these needles (and this document) instead of the task's own.

        Raises ConfigError where something else was given for a needle.
        """
        for needle in needles:
            if not isinstance(needle, Needle):
                raise ConfigError(
                    f"the fixture `needles` returned {needle!r} among its needles; give each as "
                    "`Needle(statement, question, expected)`, from pytest_haystack.needles.needle"
                )
        return self._assembled(cell, needles, self.context(cell, trial), document)

    def _assembled(
        self, cell: Cell, needles: Sequence[Needle], context: TrialContext, document: Document | None = None
    ) -> Material:
        ask = self.tasks[cell.task].ask(needles, context)
        given = document
        if document is None:
            document = self.document(cell, needles, ask, context)
        places: dict[str, list[Placement]] = {}
        for place in document.placements:
            places.setdefault(place.text, []).append(place)
        # Needles may repeat one statement: their order is the one that they were inserted in.
        placed = tuple(n.placed(found.pop(0)) if (found := places.get(n.statement)) else n for n in needles)
        trial = context.trial * self.tasks[cell.task].prompts_per_trial + context.part
        template = self.templates[cell.task]
        prompt = template.render(document.text, ask.question, trial)
        prompt.cell = cell.id
        if template.computes and prompt.contents.count(document.text) != template.documents:
            # It does something else with the document than to insert it.
            prompt.tokens = self.encoding.count(prompt.contents)
        elif given is None:
            # Counting a long prompt takes longer than making it.
            inside = document.tokens * template.documents
            prompt.counted_by(lambda: inside + template.frame_tokens(ask.question, self.encoding))
        if self.tasks[cell.task].filler:
            prompt.shared = min((place.char_index for place in document.placements), default=0)
        return Material(placed, ask, document, prompt)

    def context(self, cell: Cell, trial: int, haystack_text: str | None = None) -> TrialContext:
        """What the cell's task may know of a trial; the filler is the cell's own unless given."""
        number, part = divmod(trial, self.tasks[cell.task].prompts_per_trial)
        base, seed = self._seeds(cell, trial)
        repeats = number // len(self.config.sweep.seeds) if self.config.sweep.seeds else number
        turn = base + repeats + self._numbers.get((cell.task, cell.context_length, cell.depth), 0)
        if haystack_text is None:
            haystack_text = self._filler(cell)
        # The question is not known yet; where the window makes it count, it takes about this many tokens.
        tokens = cell.context_length - reserve(self, cell, _LONG_QUESTION)
        rng = random.Random(seed)
        return TrialContext(
            context_length=cell.context_length,
            depth_percent=cell.depth_percent,
            trial=number,
            rng=rng,
            haystack_text=haystack_text,
            tokens=tokens,
            count=self.encoding.count,
            part=part,
            turn=turn,
        )

    def base_seed(self, cell: Cell, trial: int) -> int:
        """The config seed that a trial uses."""
        return self._seeds(cell, trial)[0]

    def _seeds(self, cell: Cell, trial: int) -> tuple[int, int]:
        """The config seed of a trial and the seed of its dice, which several steps of one trial need."""
        known, number, seeds = self._seeded
        if known is not cell or number != trial:
            seeds = trial_seed(self.config, cell, trial // self.tasks[cell.task].prompts_per_trial)
            self._seeded = cell, trial, seeds
        return seeds

    #: Cell, trial and seeds of the latest `_seeds`.
    _seeded: tuple[Cell | None, int, tuple[int, int]] = (None, 0, (0, 0))

    def _filler(self, cell: Cell) -> str:
        """What a document of this length can show of the haystack, however much more has been prepared."""
        if not self.tasks[cell.task].filler:
            return ""
        text = self.haystack_text(cell.task, cell.context_length)
        # One text object for all cells of a length: whoever folds or searches it may keep what came of it.
        known, tokens, filler = self._filled
        if known is not text or tokens != cell.context_length:
            filler = text.text[: text.index.position_of(cell.context_length + text.slack)]
            self._filled = text, cell.context_length, filler
        return filler

    #: Text, tokens and filler of the latest `_filler`.
    _filled: tuple[HaystackText | None, int, str] = (None, 0, "")

    def document(self, cell: Cell, needles: Sequence[Needle], ask: Ask, context: TrialContext) -> Document:
        """The cell's document with these needles in it."""
        task = self.tasks[cell.task]
        if not task.filler:
            return composed_document(task.compose(needles, context), needles, self.encoding, context.tokens)
        inserts = [
            Insert(n.statement, cell.depth_percent if n.depth_percent is None else n.depth_percent)
            for n in needles
            if n.role != "absent"
        ]
        tokens = cell.context_length - reserve(self, cell, ask.question)
        text = self.haystack_text(cell.task, cell.context_length)
        return build_document(text, inserts, tokens, tolerance=self.config.sweep.depth_tolerance)

    def haystack_text(self, task: str, tokens: int) -> HaystackText:
        """The filler of a task, long enough for ``tokens`` tokens."""
        entry = self.entries[task].haystack or self.config.haystack
        key = self._keys.get(task) or self._keys.setdefault(task, entry.model_dump_json())
        prepared, text = self._texts.get(key, (0, None))
        if text is None or prepared < tokens:
            wanted = max(tokens, self._longest_selected)
            window = Window(entry.offset, entry.window == "sliding")
            text = HaystackText.prepare(self.source(entry), entry.separator, self.encoding, wanted, window)
            self._texts[key] = wanted, text
        return text

    #: Tokens that the selection is known to need, so that the text is prepared once.
    _longest_selected: int = 0

    def expect(self, cells: Sequence[Cell]) -> None:
        """Tell which cells will run, so that texts are prepared once, for the longest."""
        self._longest_selected = max((cell.context_length for cell in cells), default=0)

    def follow(self, cells: Sequence[Cell]) -> None:
        """Tell in which order the first trials of cells are going to be asked for."""
        # What somebody else's task does, and how long that takes, is not to befall another test.
        own = {name for name, task in self.tasks.items() if type(task).__module__.startswith("pytest_haystack.")}
        self._batches = Batches([cell for cell in cells if cell.task in own])

    @property
    def notes(self) -> list[str]:
        """What a reader of plan and report should know of the cells."""
        depthless = [name for name, task in self.tasks.items() if not task.depth_matters]
        notes = [f"{', '.join(depthless)}: needles do not follow the depth, so that axis is one cell (50)"]
        drawn = [n for n, task in self.tasks.items() if getattr(task.options, "placement", "") == "random"]
        drawn_note = f"{', '.join(drawn)}: placement random draws new places in each cell, whatever its depth"
        return (
            (notes if depthless else [])
            + ([drawn_note] if drawn else [])
            + [
                f"{name}: {judge.model} judges answers, at most one further request each"
                for name, judge in self.judges.items()
            ]
            + [self._idle(index) for index in (idle_entries(self.config, self.cells) if not self.searches else ())]
            + gate_notes(self)
        )

    def _idle(self, index: int) -> str:
        where = f"{self.loaded.path.name}:{self.loaded.line_of('known_failures', index)}"
        return f"{where}: known_failures.{index}: no cell has this model, task, context length and depth"

    def sample(self, cell: Cell) -> tuple[Sequence[Needle], Ask]:
        """Needles and question as the cell's first trial has them, but for names that occur in the haystack.

        The text is not read for it: it only steers the choice of names, and would cost every process.
        """
        context = self.context(cell, 0, haystack_text="")
        task = self.tasks[cell.task]
        needles = task.needles(context)
        return needles, task.ask(needles, context)

    def _task(self, entry: TaskEntry) -> Task:
        cls = self.registry.tasks[entry.type]
        return cls(cls.options_model.model_validate(entry.options), self.registry)

    def source(self, entry: HaystackEntry) -> Source:
        """A haystack source as the config describes it."""
        key = entry.model_dump_json()
        if key not in self._sources:
            cls = self.registry.sources[entry.source]
            source = cls(cls.options_model.model_validate(entry.options), self.loaded.path.parent)
            order = entry.shuffled
            unit, seed = (order.unit, order.seed) if order else (None, 0)
            self._sources[key] = Arranged(source, entry.separator, unit, seed)
        return self._sources[key]

    def _template(self, index: int, entry: TaskEntry) -> PromptTemplate:
        prompt: PromptEntry = entry.prompt or self.config.prompt
        try:
            return PromptTemplate(prompt)
        except ConfigError as error:
            place = ("tasks", index, "prompt") if entry.prompt else ("prompt",)
            where = f"{self.loaded.path.name}:{self.loaded.line_of(*place)}: {self.loaded.written(*place)}"
            raise ConfigError(f"{where}.{error}") from None


def load_bench(
    path: Path, registry: Registry, overrides: Sequence[str] = (), environ: Mapping[str, str] | None = None
) -> Workbench:
    """Read a sweep file and check all that can be checked without asking a model. Raises ConfigError, SourceError.

    ``environ`` holds the keys; without it, it is the process's own with the `.env` of the working directory.
    """
    environ = Environment([Path.cwd()]) if environ is None else environ
    bench = Workbench(load_config(path, registry, overrides, environ, presets=tuple(PRESETS)), registry, environ)
    for index, entry in enumerate(bench.config.tasks):
        if not bench.tasks[entry.id].filler:
            continue
        place = ("tasks", index, "haystack") if entry.haystack else ("haystack",)
        try:
            bench.source(entry.haystack or bench.config.haystack).read(1)
        except SourceError as error:
            if isinstance(error, NotFetchedError):
                error = NotFetchedError(error.what, os.path.relpath(path))
            raise SourceError(f"{path.name}:{bench.loaded.line_of(*place)}: haystack: {error}") from None
    check_fit(bench)
    check_gates(bench)
    check_trials(bench)
    return bench


def _numbered(cells: Sequence[Cell]) -> dict[tuple[str, int, str], int]:
    """The number (from 0) of each length and depth of a task, the same for every model."""
    numbers: dict[tuple[str, int, str], int] = {}
    counts: dict[str, int] = {}
    for cell in cells:
        key = (cell.task, cell.context_length, cell.depth)
        if key not in numbers:
            numbers[key] = counts.get(cell.task, 0)
            counts[cell.task] = numbers[key] + 1
    return numbers
