"""Blocks of C(R): lead-ins, canonical order, budget. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from retrieval.model import Block, trusted
from retrieval.nodes import ContextNode, document_place
from retrieval.texts import after_children, node_text

ROLES = ("rule", "ancestor", "definition", "exception", "authority", "federal", "possible_exception", "warning")
# Canonical order of the prompt: where we are, the rule, what its words mean, what limits it, where its power
# comes from, what overlaps it.
ORDER = ("ancestor", "rule", "definition", "exception", "possible_exception", "authority", "federal", "warning")

RANK = {role: rank for rank, role in enumerate(ROLES)}  # a node that has two roles keeps the one of lower rank
_POSITION = {role: position for position, role in enumerate(ORDER)}

_CLOSERS = "\"'”’)]"  # what may stand between the end of a sentence and the end of its text
_LIST_ITEM = re.compile(r"[;,](?:\s\w+)?$")  # “a permit; or”
# Estimated on the safe side without a tokenizer: legal English has more than four characters a token.
CHARACTERS_PER_TOKEN = 3

# Priorities of blocks. 0 is never dropped; of the others those with the lowest numbers are needed most.
NAMES_RULE = 5  # an exception that names the rule or a part of it, or that the rule names
DEFINES_RULE = 6  # a definition of a term that the rule itself uses
FEDERAL = 7
AUTHORITY = 8
NAMES_ABOVE = 9  # an exception for a provision or chapter around the rule, made within it
_DEFINES_MORE = 10  # and by how many definitions lie between the rule's words and this one
NAMES_CONTAINER = 20  # an exception made elsewhere for a whole chapter, or for all of a document
BESIDE_WORDS = 21  # what stands below an exception whose sentence has ended
READ = 22  # what limits the rule as a language model read it
POSSIBLE = 23  # what may limit the rule, and nothing says so for certain


def definition_priority(depth: int) -> int:
    """The priority of a definition's blocks; depth 0: of a term that the rule itself uses."""
    return _DEFINES_MORE + min(depth, NAMES_CONTAINER - _DEFINES_MORE - 1) if depth else DEFINES_RULE


@dataclass(slots=True)
class BlockDraft:
    """A block before it is numbered. `priority` 0 is never dropped; a higher one is needed less."""

    node: ContextNode
    role: str
    lead_in: str
    flush: str
    parent_urn: str | None
    reason: str
    priority: int
    group: str
    applies_to: list[str] = field(default_factory=list[str])
    text: str = ""
    warning: str = ""

    def redact(self, sentence: str) -> None:
        """Take the text out and put a warning in its place."""
        self.role, self.text, self.lead_in, self.flush, self.warning = "warning", "", "", "", sentence
        self.priority = 0

    @property
    def tokens(self) -> int:
        """Estimated size of its own words; what it shares with its siblings is counted by `estimated_tokens`."""
        size = len(self.node.heading) + len(self.text) + len(self.warning) + len(self.node.urn)
        return -(-size // CHARACTERS_PER_TOKEN)

    @property
    def shared(self) -> tuple[str, ...]:
        """The words around the list that it stands in: the prompt has them once, with its first sibling."""
        return tuple(words for words in (self.lead_in, self.flush) if words)


def estimated_tokens(drafts: Iterable[BlockDraft], told: Iterable[str] = ()) -> int:
    """Estimated size of some blocks together.

    Args:
        told: shared words that other blocks bring already.
    """
    size, words = 0, set[str]()
    for draft in drafts:
        size += draft.tokens
        if draft.lead_in:
            words.add(draft.lead_in)
        if draft.flush:
            words.add(draft.flush)
    return size + sum(-(-len(word) // CHARACTERS_PER_TOKEN) for word in words.difference(told))


class Surroundings(NamedTuple):
    """What a block says of the nodes above it: the same for all children of one parent."""

    lead_in: str
    flush: str
    parent_urn: str | None

    def draft(self, node: ContextNode, role: str, reason: str, priority: int, group: str) -> BlockDraft:
        """A block for a node that is here.

        Args:
            priority: 0 to keep always.
            group: blocks of one group stay or go together.
        """
        text = node_text(node.intro_text, node.content_text)
        return BlockDraft(node, role, self.lead_in, self.flush, self.parent_urn, reason, priority, group, [], text)


def surroundings(above: Sequence[ContextNode], first: int = 0) -> Surroundings:
    """What blocks say of the nodes above them, given root first; `first`: of these, where their sentence begins."""
    words = [ancestor for ancestor in above[first:] if ancestor.kind != "section"]
    return Surroundings(_lead_in(words), _flush(words), above[-1].urn if above else None)


def ends_sentence(node: ContextNode) -> bool:
    """Whether the last words of a node end a sentence."""
    return _closed(node.text.rstrip())


def sentence_goes_on(node: ContextNode, children: Sequence[ContextNode]) -> bool:
    """Whether a node's own sentence is only whole with its children: it introduces them, or goes on after them.

    True as well where the node has no words of its own, so that those of its children are all there are.
    """
    intro, flush = node.intro_text.strip(), node.content_text.strip()
    if not intro and not flush:
        return True
    items = any(_LIST_ITEM.search(child.text.strip()) for child in children)
    return items or bool(intro and not _closed(intro)) or flush[:1].islower()


def _closed(words: str) -> bool:
    """Whether a text without space around it ends with its sentence."""
    return words.rstrip(_CLOSERS).endswith((".", "!", "?"))


def _lead_in(above: Sequence[ContextNode]) -> str:
    """The open sentences above a node, outermost first: each ends without a full stop, so the node continues it."""
    parts: list[str] = []
    for node in reversed(above):
        intro = node.intro_text.strip()
        if not intro:
            continue
        if _closed(intro):
            break
        parts.append(intro)
    return " ".join(reversed(parts))


def _flush(above: Sequence[ContextNode]) -> str:
    """The words after the lists that the node stands in, innermost first, as far as they continue a sentence."""
    parts = [node.content_text.strip() for node in reversed(above) if node.intro_text and node.content_text]
    return " ".join(part for part in parts if part[:1].islower())


@dataclass(frozen=True, slots=True)
class Budget:
    """What fits."""

    kept: list[BlockDraft]
    dropped: list[BlockDraft]
    tokens: int
    exceeded: bool


def fit_budget(drafts: list[BlockDraft], limit: int, rules: Sequence[str] = ()) -> Budget:
    """Keep what is needed most, as far as it fits; always the rules, their lead-ins and overrides.

    What serves only rules ranked lower (`rules` in their order) is needed less than what serves the first.

    A definition or an exception goes with all its paragraphs: half of one would read as the whole of another.
    """
    tokens = estimated_tokens(drafts)
    if tokens <= limit:
        return Budget(drafts, [], tokens, exceeded=False)
    groups: dict[str, list[BlockDraft]] = {}
    for block in drafts:
        groups.setdefault(block.group, []).append(block)
    rank = {urn: index for index, urn in enumerate(rules)}

    def need(group: str) -> tuple[int, int, int, str]:
        members = groups[group]
        serves = min((rank[urn] for member in members for urn in member.applies_to if urn in rank), default=0)
        return serves, min(member.priority for member in members), estimated_tokens(members), group

    kept = {group for group, members in groups.items() if any(member.priority == 0 for member in members)}
    tokens = estimated_tokens(draft for group in kept for draft in groups[group])
    told = {words for group in kept for draft in groups[group] for words in draft.shared}
    for group in sorted(groups.keys() - kept, key=need):
        size = estimated_tokens(groups[group], told)
        # What does not fit makes no room for itself: something needed less may still fit where it would have stood.
        if tokens + size <= limit:
            kept.add(group)
            told.update(words for draft in groups[group] for words in draft.shared)
            tokens += size
    dropped = sorted((draft for draft in drafts if draft.group not in kept), key=lambda draft: draft.node.urn)
    return Budget([draft for draft in drafts if draft.group in kept], dropped, tokens, tokens > limit)


def number_blocks(drafts: list[BlockDraft], rules: Sequence[str]) -> list[Block]:
    """Blocks in canonical order, numbered b1, b2 ...; rules keep the order of their ranking."""
    place = document_place([draft.node for draft in drafts])
    rank = {urn: index for index, urn in enumerate(rules)}

    def first(urns: list[str]) -> int:
        return min([rank[urn] for urn in urns if urn in rank], default=0) if len(rules) > 1 else 0

    def ranked(urns: list[str]) -> list[str]:
        return sorted(urns, key=lambda urn: (rank.get(urn, len(rank)), urn)) if len(urns) > 1 else urns

    ordered = [
        (_POSITION["rule"], first(draft.applies_to), "", place(draft.node), draft) if draft.role == "rule"
        else (_POSITION[draft.role], 0, draft.node.corpus, place(draft.node), draft)
        for draft in drafts
    ]  # fmt: skip
    ordered.sort(key=itemgetter(0, 1, 2, 3))
    blocks: list[Block] = []
    for index, (_, _, _, _, draft) in enumerate(ordered, start=1):
        node = draft.node
        blocks.append(trusted(Block, {
            "id": f"b{index}", "urn": node.urn, "role": draft.role, "heading": node.heading,
            "text": draft.warning or draft.text, "lead_in": draft.lead_in, "flush": draft.flush,
            "after_children": None if draft.warning else after_children(node.intro_text, node.content_text),
            "valid_from": node.valid_from, "valid_to": node.valid_to, "parent_urn": draft.parent_urn,
            "applies_to": ranked(draft.applies_to), "reason": draft.reason,
        }))  # fmt: skip
    return blocks
