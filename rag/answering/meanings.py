"""Which definitions of a context govern the words of a block: a part of a rule may define a term for itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from retrieval.model import Block, DefinitionInScope, ScopedContext


def governing(context: ScopedContext, block: Block) -> list[DefinitionInScope]:
    """The definitions that say what terms mean in a block, in the context's order.

    Of each term these are the ones that its nearest user has: the block's own node, a part of the rule that it lies in,
    the rule. One that only points to where the meaning is says none.
    """
    best: dict[str, int] = {}
    for definition in context.definitions:
        term = definition.term.lower()
        best[term] = max(best.get(term, 0), _nearness(definition, block))
    return [
        definition
        for definition in context.definitions
        if definition.relation != "reference" and 0 < _nearness(definition, block) == best[definition.term.lower()]
    ]


def governing_cited(context: ScopedContext, urns: Iterable[str]) -> list[DefinitionInScope]:
    """The definitions that govern a block of a rule that has one of these URNs, in the context's order."""
    cited = set(urns)
    found = {
        (definition.urn, definition.term, definition.scope_urn)
        for block in context.blocks
        if block.role == "rule" and block.urn in cited
        for definition in governing(context, block)
    }
    return [each for each in context.definitions if (each.urn, each.term, each.scope_urn) in found]


def _nearness(definition: DefinitionInScope, block: Block) -> int:
    """How near to a block a node is that the definition applies to; 0 where the block is none of any."""
    lines = [len(user) for user in definition.applies_to if f"{block.urn}:".startswith(f"{user}:")]
    return max(lines, default=int(not set(block.applies_to).isdisjoint(definition.applies_to)))
