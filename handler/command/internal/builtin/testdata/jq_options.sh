#!/bin/bash
cat > in.json
jq -c .list in.json
jq -r '.list[]' in.json
jq -j '.tool_name, .session_id' in.json; echo
jq -n '1 + 2'
jq -n --arg x 'a "b"' '$x'
jq -rn --arg x 'a "b"' '$x'
jq -cn --argjson l '[1,2]' '$l | map(. * 2)'
printf '1 2\n3' | jq -s add
printf '1 2\n3' | jq -cs .
jq -rc '.nested.a' in.json
jq '.nested.a.b, .big, .unicode' in.json
jq -r .unicode in.json
