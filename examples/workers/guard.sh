#!/usr/bin/env bash
# A guard as a worker, without a library: it refuses commands that delete recursively.
# It looks at whole lines: a line of the host is the call, and what is in it is in JSON.

printf '%s\n' '{"type":"hello","protocol":1,"name":"guard.sh","hooks":[{"event":"PreToolUse","matcher":"Bash","name":"no deletes","guard":true,"timeout_ms":10000}]}'

deletes='rm[[:space:]]+-[[:alnum:]]*[rR]'
while IFS= read -r line; do
  case $line in
    '{"type":"shutdown"}') exit 0 ;;
    '{"type":"call"'*) ;;
    *) continue ;; # one call at a time: when it is taken back, it has been answered
  esac
  [[ $line =~ ^\{\"type\":\"call\",\"id\":([0-9]+), ]] || exit 1
  id=${BASH_REMATCH[1]}
  if [[ $line =~ $deletes ]]; then
    printf '{"type":"result","id":%s,"decision":"deny","reason":"deleting recursively is not allowed here"}\n' "$id"
  elif [[ $line == *'\u'* ]]; then # a letter may hide behind an escape
    printf '{"type":"result","id":%s,"decision":"ask","reason":"the command has escapes that this guard does not read"}\n' "$id"
  else
    printf '{"type":"result","id":%s}\n' "$id"
  fi
done
