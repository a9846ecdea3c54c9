"""The verb completion: a script for bash, zsh or fish, made from the verbs and their options.

The script holds all words itself: nothing is started when the user presses the tab key.
"""

from __future__ import annotations

import shlex
import sys
from typing import Annotated, Any

import typer

from rag.cli.session import one_of

verbs = typer.Typer(rich_markup_mode=None)


@verbs.command()
def completion(
    ctx: typer.Context, shell: Annotated[str, typer.Argument(help="bash, zsh or fish.", metavar="SHELL")]
) -> int:
    """Print what makes a shell complete verbs and options: bash, zsh or fish.

    Add it to the shell's start file, as the example does.
    """
    scripts = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
    make = scripts[one_of("The shell", shell, list(scripts))]
    root = ctx.find_root()
    sys.stdout.write(make(verb_words(root.command, root)))
    return 0


Path = tuple[str, ...]
# What may follow a path of verbs: word -> what its help says; options begin with a dash.
Words = dict[str, str]


def verb_words(command: Any, ctx: Any, path: Path = ()) -> dict[Path, Words]:
    """What may follow a verb and each verb below it.

    Args:
        path: the names that lead to it.

    Returns:
        Path -> what may follow it; the path given comes first.
    """
    names = command.list_commands(ctx) if hasattr(command, "list_commands") else ()
    inner: dict[str, Any] = {name: command.get_command(ctx, name) for name in names}
    options = {name: getattr(option, "help", None) or "" for option in command.get_params(ctx) for name in option.opts}
    words = {name: verb.get_short_help_str(200) for name, verb in inner.items()}
    found = {path: words | {name: told for name, told in options.items() if name.startswith("-")}}
    for name, verb in inner.items():
        found |= verb_words(verb, ctx, (*path, name))
    return found


def bash_script(words: dict[Path, Words]) -> str:
    """A script for bash; where no word fits, files are offered.

    Args:
        words: what may follow each path of verbs, as the root's options may follow every one.
    """
    paths = "|".join(shlex.quote(" ".join(path)) for path in words if path)
    cases = "\n".join(
        f"    {shlex.quote(' '.join(path))}) words={shlex.quote(' '.join(words[path] | _of_all(words)))} ;;"
        for path in words
    )
    return f"""# lexscope completion bash
_lexscope() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} path= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{path:+$path }}${{COMP_WORDS[i]}}" in {paths}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;; esac
  done
  case "$path" in
{cases}
  esac
  COMPREPLY=()
  for i in $words; do
    [[ $i == "$word"* && ( $word == -* || -z $path || $i != -* ) ]] && COMPREPLY+=("$i")
  done
}}
complete -o default -F _lexscope lexscope
"""


def zsh_script(words: dict[Path, Words]) -> str:
    """The script for bash behind zsh's own reader of such scripts."""
    return f"autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n{bash_script(words)}"


def fish_script(words: dict[Path, Words]) -> str:
    """A script for fish, with the first line of each help; where no word fits, files are offered."""
    lines = ["# lexscope completion fish"]
    lines += [_fish("", name, told) for name, told in _of_all(words).items()]
    for path, found in words.items():
        groups = [inner[-1] for inner in words if inner and inner[:-1] == path]
        seen = [f"__fish_seen_subcommand_from {verb}" for verb in path]
        none = [f"not __fish_seen_subcommand_from {' '.join(groups)}"] if groups else []
        condition = "; and ".join(seen + none)
        lines += [_fish(condition, name, told) for name, told in found.items() if path or not name.startswith("-")]
    return "\n".join(lines) + "\n"


def _fish(condition: str, name: str, told: str) -> str:
    word = name.replace("--", "-l ", 1) if name.startswith("--") else name.replace("-", "-s ", 1)
    word = word if name.startswith("-") else f"-a {name}"
    quoted = told.replace("\\", "\\\\").replace("'", "\\'")
    where = f" -n '{condition}'" if condition else ""
    return f"complete -c lexscope{where} {word} -d '{quoted}'"


def _of_all(words: dict[Path, Words]) -> Words:
    return {name: told for name, told in words[()].items() if name.startswith("-")}
