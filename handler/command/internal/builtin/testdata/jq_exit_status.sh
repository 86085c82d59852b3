#!/bin/sh
jq -e '.tool_input.command | test("rm")' >/dev/null && echo yes
echo '{"a":false}' | jq -e .a; echo "false: $?"
echo '{"a":null}' | jq -e .a; echo "null: $?"
echo '{"a":1}' | jq -e .a; echo "one: $?"
