#!/usr/bin/env python3
"""Masks keys in what a tool returned, before the model sees it.

The answer must have the shape of the tool's result, so the strings in it are
changed and everything else stays.
"""
import json
import re
import sys

KEY = re.compile(r"\b(sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36})")


def masked(value):
    if isinstance(value, str):
        return KEY.sub("[masked]", value)
    if isinstance(value, list):
        return [masked(v) for v in value]
    if isinstance(value, dict):
        return {k: masked(v) for k, v in value.items()}
    return value


event = json.load(sys.stdin)
before = event["tool_response"]
after = masked(before)
if after != before:
    json.dump(
        {
            "hookSpecificOutput": {
                "hookEventName": "PostToolUse",
                "updatedToolOutput": after,
                "additionalContext": "A key in the output was masked.",
            }
        },
        sys.stdout,
    )
