#!/bin/sh
# Says what a formatter would have done to the file that was written.
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"The file was formatted; read it again before you edit it."}}'
