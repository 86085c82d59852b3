#!/usr/bin/env python3
"""A guard as a worker: it refuses commands that delete recursively, and asks about pushes."""

import os
import re
import sys

# The library lies in lib/ beside the worker; here, in the repository, it is in sdk/.
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "lib"), os.path.join(here, "..", "..", "sdk", "python")]

from hookline import context, deny, hook, run  # noqa: E402

seen = {}  # a worker may remember: it stays


@hook("PreToolUse", match="Bash", guard=True, timeout=10)
def no_deletes(event, ctx):
    command = event.tool_input.get("command", "")
    if re.search(r"\brm\s+-\w*[rR]", command):
        return deny("deleting recursively is not allowed here")
    if re.search(r"\bgit\s+push\b", command) and not ctx.confirm("Push?", command):
        return deny("the person did not agree to the push")
    return None


@hook("PostToolUse", match="Bash", on_failure="open")
async def count(event, ctx):
    n = seen[event.session_id] = seen.get(event.session_id, 0) + 1
    if n == 50:
        return context("50 commands so far: consider whether this is going anywhere")
    return None


run(concurrency=4)
