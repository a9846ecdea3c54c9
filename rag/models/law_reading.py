"""One call that reads provisions of a law before anybody asks about them: limits, definitions and other laws.

What comes back is a proposal: `rag/ingest/law_readings.py` keeps what the provisions say word by word, and contexts
mark it as read by a model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from rag.models.drafting import Declined, closed_object, read_output
from rag.models.prompting import LANGUAGES, prompt_key, read_prompt
from retrieval.providers.openai import unusable
from retrieval.strict_json import JsonRefused

if TYPE_CHECKING:
    from rag.models.openai import OpenAIModel

WHOLE = 0  # the number of the law as a whole
SECONDS = 600.0  # of one call: a window has hundreds of pairs, and models that reason take minutes
_QUOTED_WORDS = 40

LimitKind = Literal[
    "exception", "condition", "cap", "time", "suspension", "dispensation", "deeming", "priority", "defence", "scope"
]
Relation = Literal["means", "includes", "excludes", "reference"]


class _Item(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, hide_input_in_errors=True)


class LimitItem(_Item):
    """A provision that limits others, by their numbers in the window."""

    limiting: int
    limited: tuple[int, ...]
    kind: LimitKind
    quote: str


class DefinitionItem(_Item):
    """An expression to which a provision gives a meaning."""

    term: str
    forms: tuple[str, ...] = ()
    provision: int
    quote: str
    scope: tuple[int, ...]
    relation: Relation


class LawItem(_Item):
    """Another law that a provision leans on."""

    name: str
    provision: int
    quote: str


class Items(_Item):
    """What a reply lists, or what was kept of it.

    Attributes:
        limits_nothing: provisions that a model says limit no other one, so that it has to answer for each.
    """

    limits: tuple[LimitItem, ...] = ()
    limits_nothing: tuple[int, ...] = ()
    definitions: tuple[DefinitionItem, ...] = ()
    other_laws: tuple[LawItem, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingPrompt:
    """What a model is sent of one window of a law.

    Attributes:
        numbers: how many provisions it gives; they are numbered from 1.
        version: of the prompt file.
        outlined: how many more numbers follow, of provisions that only their headings tell of.
    """

    instructions: str
    text: str
    numbers: int
    version: str
    outlined: int = 0

    @property
    def key(self) -> str:
        """SHA-256 of the version and of what is sent, byte for byte: what readings and recordings are found by."""
        return prompt_key(f"{self.version}\n{self.instructions}", self.text)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model listed, and the tokens it took by kind."""

    items: Items
    usage: dict[str, int]


class LawReader(Protocol):
    """What reads provisions of a law."""

    @property
    def provider(self) -> str:
        """The provider's name."""
        ...

    @property
    def model(self) -> str:
        """The model's name at the provider."""
        ...

    def read(self, prompt: ReadingPrompt) -> Reply:
        """What a window says, unchecked.

        Raises:
            ProviderError: no usable reply came.
        """
        ...


class ModelLawReader:
    """A reader over a model behind OpenAI's API or a compatible one. Safe to share by threads."""

    def __init__(self, model: OpenAIModel) -> None:
        self._model = model

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self._model.provider

    @property
    def model(self) -> str:
        """The model's name."""
        return self._model.model

    def read(self, prompt: ReadingPrompt) -> Reply:
        """What a window says; see `LawReader.read`."""
        from rag.models.openai import Call  # replay reads replies and has no client

        def parse(reply: str) -> Items:
            return parse_reading(reply, provider=self.provider)

        schema = reading_schema(prompt.numbers, prompt.outlined)
        done = self._model.complete(Call(prompt.instructions, prompt.text, "reading", schema, parse, SECONDS))
        if isinstance(done, Declined):
            raise unusable(self.provider, "declined", done.request_id)
        return Reply(done.value, done.usage)


def reading_prompt(title: str, language: str, provisions: Sequence[str], outline: Sequence[str] = ()) -> ReadingPrompt:
    """The prompt of a window, byte for byte the same for the same words.

    Args:
        language: of the law, a tag as in `en` or `fr`.
        provisions: of the window, each as text with its number.
        outline: provisions outside of it, each a line with its number, which goes on from those.
    """
    file = read_prompt("reading")
    words = "\n".join(provisions)
    fence = f"=== {hashlib.sha256(words.encode()).hexdigest()[:16]}"
    instructions = Template(file.parts["instructions"].strip()).substitute(
        language=LANGUAGES.get(language, language), words=_QUOTED_WORDS
    )
    text = Template(file.parts["input"]).substitute(title=title, fence=fence, provisions=words)
    if outline:
        text += Template(file.parts["outline"]).substitute(fence=fence, outline="\n".join(outline))
    return ReadingPrompt(instructions, text, len(provisions), file.version, len(outline))


def reading_schema(numbers: int, outlined: int = 0) -> dict[str, object]:
    """The strict JSON schema of a reply to a window of that many provisions and an outline of that many more."""
    text: dict[str, object] = {"type": "string"}
    provision: dict[str, object] = {"$ref": "#/$defs/provision"}
    named: dict[str, object] = {"$ref": "#/$defs/named"}
    schema = closed_object({
        "limits": _array(closed_object({
            "limiting": provision, "limited": _array(named), "kind": _one_of(LimitKind), "quote": text,
        })),
        "limits_nothing": _array(provision),
        "definitions": _array(closed_object({
            "term": text, "forms": _array(text), "provision": provision, "quote": text, "scope": _array(named),
            "relation": _one_of(Relation),
        })),
        "other_laws": _array(closed_object({"name": text, "provision": provision, "quote": text})),
    })  # fmt: skip
    schema["$defs"] = {
        "provision": {"type": "integer", "enum": [*range(1, numbers + 1)]},
        "named": {"type": "integer", "enum": [*range(numbers + outlined + 1)]},
    }
    return schema


def _array(items: dict[str, object]) -> dict[str, object]:
    return {"type": "array", "items": items}


def _one_of(words: object) -> dict[str, object]:
    """A string that is one of the words of a `Literal`."""
    return {"type": "string", "enum": list(get_args(words))}


def parse_reading(text: str, *, provider: str = "model") -> Items:
    """What a model's output text lists; refused as a whole where it is not of the schema.

    Raises:
        ProviderError: the reply is cut, not JSON or not of the schema.
    """
    try:
        return Items.model_validate_json(json.dumps(read_output(text)))
    except JsonRefused as refused:
        raise unusable(provider, refused.reason) from None
    except ValidationError:
        raise unusable(provider, "not of the schema") from None
