#!/usr/bin/env python3
"""Replaces API keys in what a tool returned, before the model sees it."""
import json
import re
import sys

event = json.load(sys.stdin)
before = json.dumps(event["tool_response"])
after = re.sub(r"API_KEY=[A-Za-z0-9_-]+", "API_KEY=[redacted]", before)
if after != before:
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PostToolUse",
        "updatedToolOutput": json.loads(after),
        "additionalContext": "A key in the output was redacted.",
    }}))
