"""What a statement may be to run on a Citus cluster, by PostgreSQL's own grammar; no cluster is needed.

Growing tables are distributed by jurisdiction (sql/distribute.sql). What is pinned to one runs whole on one
worker, and there everything is allowed that PostgreSQL can do. What is pinned to several is taken apart, and then each
query block may read one distributed table, beside what is small: values, reference tables, and materialized queries,
which the coordinator makes first and sends to all. The rules are those that statements broke on a real cluster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from pglast import ast, parse_sql
from pglast.enums import A_Expr_Kind, BoolExprType, CTEMaterialize, JoinType

DISTRIBUTED = frozenset((
    "documents", "editions", "edition_nodes", "legal_nodes", "node_embeddings", "lexeme_stats", "language_stats",
    "legal_definitions", "edges", "section_vectors",
))  # fmt: skip
REFERENCE = frozenset((
    "sources", "legal_synonyms", "judicial_overrides", "override_proposals", "federal_preemption", "law_readings",
))  # fmt: skip
AGGREGATES = frozenset(
    ("array_agg", "avg", "bool_or", "count", "jsonb_agg", "max", "min", "range_agg", "string_agg", "sum")
)

# Whether a function of so many arguments, or reading a type from text, gives the same result for ever.
Immutable = Callable[[str, int], bool]

_VALUE = re.compile(r"%\((\w+)\)[sbt]")


def broken_rules(statement: str, is_immutable: Immutable, each: Collection[str] = ()) -> list[str]:
    """What a statement does that a cluster refuses, or does on all of its workers.

    Args:
        statement: with the values of psycopg, `%(name)s`, and no slots.
        is_immutable: asks the server about functions by name and number of arguments, and about types, of which the
            name ends in `()`, by a number that means nothing.
        each: the lists of jurisdictions that hold one alone, for the statement is sent once for each.

    Returns:
        A sentence for each rule that it breaks.
    """
    values: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] not in values:
            values.append(match[1])
        return f"${values.index(match[1]) + 1}"

    if re.match(r"(analyze|copy|create|set|vacuum)\b", statement, re.IGNORECASE):
        return []
    [parsed] = parse_sql(_VALUE.sub(number, statement).replace("%%", "%"))
    check = _Statement(is_immutable, {number for number, name in enumerate(values, 1) if name in each})
    check.query(parsed.stmt, [], {})
    return sorted(check.found)


class Reads(IntEnum):
    """What a query or an item of FROM reads, so far as the coordinator does not read it first."""

    SMALL = 0  # no distributed table
    ONE = 1  # distributed tables of one jurisdiction
    SEVERAL = 2


@dataclass(slots=True)
class _Query:
    """A named query of a WITH."""

    materialized: bool
    reads: Reads


@dataclass(slots=True)
class _Block:
    """One SELECT, UPDATE or DELETE: what it reads and which conditions hold for all of its rows."""

    items: dict[str, Reads] = field(default_factory=dict[str, Reads])  # by alias
    tables: dict[str, str] = field(default_factory=dict[str, str])  # alias -> distributed table
    conditions: list[Any] = field(default_factory=list[Any])
    laterals: dict[str, tuple[Any, bool]] = field(
        default_factory=dict[str, tuple[Any, bool]]
    )  # and whether joined outwardly
    optional: list[str] = field(default_factory=list[str])  # aliases joined outwardly to what is not distributed


class _Statement:
    def __init__(self, is_immutable: Immutable, each: Collection[int]) -> None:
        self.is_immutable = is_immutable
        self.each = each  # numbers of values
        self.found: set[str] = set()

    def tell(self, text: str) -> None:
        self.found.add(text)

    # --- blocks ---------------------------------------------------------------------------------------------------

    def query(self, node: Any, outer: list[_Block], named: Mapping[str, _Query]) -> Reads:
        """Check a query and what is in it."""
        named = self._with(node, outer, dict(named))
        if isinstance(node, ast.SelectStmt) and node.larg is not None:
            return max([self.query(select_stmt, outer, named) for select_stmt in (node.larg, node.rarg)])
        if isinstance(node, ast.SelectStmt) and node.valuesLists is not None:
            return Reads.SMALL
        if isinstance(node, ast.InsertStmt):
            changed = node.onConflictClause.targetList if node.onConflictClause else None
            self._changed(node.relation.relname, changed or ())
            return self.query(node.selectStmt, outer, named) if node.selectStmt else Reads.SMALL
        block = _Block()
        if isinstance(node, ast.UpdateStmt | ast.DeleteStmt):
            self._table(node.relation, block, named)
            self._changed(node.relation.relname, (*(getattr(node, "targetList", None) or ()), node.whereClause))
            sources = getattr(node, "fromClause", None) or getattr(node, "usingClause", None) or ()
        else:
            sources = node.fromClause or ()
        for source in sources:
            self._source(source, block, outer, named)
        block.conditions += _conjuncts(node.whereClause)
        equal = self._pins(block)
        for alias, (query, outward) in block.laterals.items():
            del block.items[alias]
            block.items[alias] = self.query(query, [*outer, block], named)
            if block.items[alias] == Reads.SEVERAL:
                if outward:
                    self.tell("a lateral outer join")
                if any(_is_fenced(entry) for entry in _walk(query) if isinstance(entry, ast.SelectStmt)):
                    self.tell("a limit, an offset or an aggregate in a lateral query")
        if any(block.items.get(alias) == Reads.SEVERAL for alias in block.optional):
            self.tell("an outer join of a distributed table to what is none")
        self._check(block, outer, equal)
        self._sublinks(node, block, outer, named)
        reads = max([*block.items.values(), Reads.SMALL])
        if getattr(node, "lockingClause", None) and reads == Reads.SEVERAL:
            self.tell("locks rows of several jurisdictions")
        return reads

    def _with(self, node: Any, outer: list[_Block], named: dict[str, _Query]) -> dict[str, _Query]:
        clause = getattr(node, "withClause", None)
        if clause is None:
            return named
        names = [cte.ctename for cte in clause.ctes]
        uses = [entry.relname for entry in _walk(node) if isinstance(entry, ast.RangeVar)]
        for name, one in zip(names, clause.ctes, strict=True):
            if clause.recursive:
                named[name] = _Query(True, Reads.SMALL)
            reads = self.query(one.ctequery, outer, named)
            materialized = one.ctematerialized == CTEMaterialize.CTEMaterializeAlways or uses.count(name) > 1
            named[name] = _Query(materialized, reads)
        if clause.recursive and any(named[name].reads == Reads.SEVERAL for name in names):
            self.tell("a recursive query beside distributed tables")
        return named

    def _table(self, node: ast.RangeVar, block: _Block, named: Mapping[str, _Query]) -> bool:
        alias = node.alias.aliasname if node.alias else node.relname
        if (query := named.get(node.relname)) is not None:
            block.items[alias] = Reads.SMALL if query.materialized else query.reads
        else:
            block.items[alias] = Reads.SEVERAL if node.relname in DISTRIBUTED else Reads.SMALL
            if node.relname in DISTRIBUTED:
                block.tables[alias] = node.relname
        return block.items[alias] > Reads.SMALL

    def _source(self, node: Any, block: _Block, outer: list[_Block], named: Mapping[str, _Query]) -> bool:
        """One item of FROM; returns whether it is distributed."""
        if isinstance(node, ast.RangeVar):
            return self._table(node, block, named)
        if isinstance(node, ast.JoinExpr):
            left = self._source(node.larg, block, outer, named)
            right = self._source(node.rarg, block, outer, named)
            block.conditions += _conjuncts(node.quals)
            if node.jointype != JoinType.JOIN_INNER and right:
                alias = (
                    node.rarg.alias.aliasname
                    if getattr(node.rarg, "alias", None)
                    else getattr(node.rarg, "relname", "")
                )
                if alias in block.laterals:
                    block.laterals[alias] = block.laterals[alias][0], True
                elif not left:
                    block.optional.append(alias)
            return left or right
        if isinstance(node, ast.RangeSubselect) and node.lateral:
            block.laterals[node.alias.aliasname] = node.subquery, False
            block.items[node.alias.aliasname] = Reads.SMALL  # until it is looked into
            return any(
                isinstance(entry, ast.RangeVar) and entry.relname in DISTRIBUTED for entry in _walk(node.subquery)
            )
        if isinstance(node, ast.RangeSubselect):
            block.items[node.alias.aliasname] = self.query(node.subquery, outer, named)
            return block.items[node.alias.aliasname] > Reads.SMALL
        if isinstance(node, ast.RangeFunction):
            block.items[node.alias.aliasname if node.alias else "function"] = Reads.SMALL
            return False
        raise TypeError(f"FROM has {type(node).__name__}")

    def _sublinks(self, node: Any, block: _Block, outer: list[_Block], named: Mapping[str, _Query]) -> None:
        """Queries inside expressions."""
        around = max([*block.items.values(), Reads.SMALL])
        conditions = [node.whereClause, *_on(node), getattr(node, "havingClause", None)]
        for shown, tree in ((True, getattr(node, "targetList", None) or ()), (False, conditions)):
            for link in _own_sublinks(tree):
                correlated = self._is_correlated(link.subselect, block)
                reads = self.query(link.subselect, [*outer, block] if correlated else [], named)
                if shown and around > Reads.SMALL and Reads.SEVERAL in (around if correlated else reads, reads):
                    self.tell("a query in the list of columns")
                if correlated and reads == Reads.SEVERAL and around == Reads.SMALL:
                    self.tell("a query for each row of what is not distributed")

    @staticmethod
    def _is_correlated(node: Any, block: _Block) -> bool:
        own = {
            entry.alias.aliasname if entry.alias else getattr(entry, "relname", "")
            for entry in _walk(node)
            if isinstance(entry, ast.RangeVar | ast.RangeSubselect | ast.RangeFunction)
        }
        fields = [
            [getattr(part, "sval", "*") for part in entry.fields]
            for entry in _walk(node)
            if isinstance(entry, ast.ColumnRef)
        ]
        return any(len(group) > 1 and group[0] in block.items and group[0] not in own for group in fields)

    # --- rules of one block ---------------------------------------------------------------------------------------

    def _pins(self, block: _Block) -> set[str]:
        """Note which tables' jurisdictions are given; returns the aliases whose jurisdiction has to equal another's."""
        equal: set[str] = set()
        pinned: dict[str, Reads] = {}
        for condition in block.conditions:
            if not (isinstance(condition, ast.A_Expr) and condition.name[-1].sval == "="):
                continue
            alias = self._column(condition.lexpr, block)
            one = condition.kind == A_Expr_Kind.AEXPR_OP
            if alias is not None and (value := _value(condition.rexpr)) is not None:
                pinned[alias] = Reads.ONE if one or value in self.each else pinned.get(alias, Reads.SEVERAL)
            elif alias is not None and one and (other := self._column(condition.rexpr, block)) is not None:
                equal |= {alias, other}
        for alias, table in block.tables.items():
            if alias not in pinned:
                self.tell(f"{table} without a condition on its jurisdiction")
            block.items[alias] = pinned.get(alias, Reads.SEVERAL)
        return equal

    def _check(self, block: _Block, outer: list[_Block], equal: set[str]) -> None:
        around = sum(reads > Reads.SMALL for block in outer for reads in block.items.values())
        mine = [alias for alias, reads in block.items.items() if reads > Reads.SMALL]
        several = [alias for alias in mine if block.items[alias] == Reads.SEVERAL]
        if len(mine) + around > 1 and any(alias not in equal and alias not in block.laterals for alias in several):
            self.tell("a join of distributed tables without equality of jurisdiction")
        if len(mine) > 1 and several:
            self.tell("a join of distributed tables for several jurisdictions")

    def _column(self, node: Any, block: _Block) -> str | None:
        """The alias of which an expression is the jurisdiction."""
        if isinstance(node, ast.ColumnRef):
            names = [getattr(part, "sval", "*") for part in node.fields]
            if names[-1] == "jurisdiction":
                if len(names) > 1:
                    return names[0]
                if len(block.tables) == 1:
                    return next(iter(block.tables))
            elif len(names) > 1:
                return f"{names[0]}.{names[1]}"
        return None

    # --- what is written ------------------------------------------------------------------------------------------

    def _changed(self, table: str, expressions: Sequence[Any]) -> None:
        if table not in DISTRIBUTED | REFERENCE:
            return
        for expression in expressions:
            for node in _walk(expression, into_queries=False):
                if isinstance(node, ast.CaseExpr | ast.CoalesceExpr) and any(map(self._is_mutable, _walk(node))):
                    self.tell("CASE or COALESCE with a function that is not immutable, where a row is changed")
                if self._is_mutable(node) and any(isinstance(entry, ast.ColumnRef) for entry in _walk(node)):
                    self.tell("a function of columns that is not immutable, where a row is changed")

    def _is_mutable(self, node: Any) -> bool:
        if isinstance(node, ast.FuncCall):
            return not self.is_immutable(node.funcname[-1].sval, len(node.args or ()))
        if isinstance(node, ast.TypeCast) and _value(node.arg) is None and not isinstance(node.arg, ast.A_Const):
            name = node.typeName.names[-1].sval
            return not self.is_immutable(f"{'_' if node.typeName.arrayBounds else ''}{name}()", 0)
        return False


def _value(node: Any) -> int | None:
    """The number of a value, which may be cast."""
    while isinstance(node, ast.TypeCast):
        node = node.arg
    return node.number if isinstance(node, ast.ParamRef) else None


def _conjuncts(node: Any) -> list[Any]:
    if isinstance(node, ast.BoolExpr) and node.boolop == BoolExprType.AND_EXPR:
        return [conjunct for arg in node.args for conjunct in _conjuncts(arg)]
    return [] if node is None else [node]


def _is_fenced(node: ast.SelectStmt) -> bool:
    called = (
        entry.funcname[-1].sval
        for entry in _walk(node.targetList, into_queries=False)
        if isinstance(entry, ast.FuncCall)
    )
    return bool(
        node.limitCount or node.limitOffset or node.groupClause or node.distinctClause is not None
    ) or not AGGREGATES.isdisjoint(called)


def _on(node: Any) -> Iterator[Any]:
    """The conditions of a block's joins."""
    waiting = [*(getattr(node, "fromClause", None) or ())]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.JoinExpr):
            yield one.quals
            waiting += [one.larg, one.rarg]


def _own_sublinks(tree: Any) -> Iterator[ast.SubLink]:
    for node in _walk(tree, into_queries=False):
        if isinstance(node, ast.SubLink):
            yield node


def _walk(node: Any, *, into_queries: bool = True) -> Iterator[Any]:
    """A tree's nodes, each before what is in it; queries inside expressions are shown and, on demand, not entered."""
    if isinstance(node, tuple | list):
        for unknown in node:
            yield from _walk(unknown, into_queries=into_queries)
    elif isinstance(node, ast.Node):
        yield node
        for name in node:
            if not into_queries and isinstance(node, ast.SubLink) and name == "subselect":
                continue
            yield from _walk(getattr(node, name), into_queries=into_queries)
