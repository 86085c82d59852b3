#!/bin/sh
echo '"x"' | jq '.a' 2>/dev/null; echo "type: $?"
echo '1' | jq 'error("x")' 2>/dev/null; echo "error: $?"
echo '1' | jq 'halt' 2>/dev/null; echo "halt: $?"
echo '1' | jq '"bye\n" | halt_error' 2>/dev/null; echo "halt_error: $?"
echo '1' | jq '"bye" | halt_error(3)' 2>/dev/null; echo "halt_error 3: $?"
