#!/bin/sh
name=world
cat <<X
hello $name $(echo sub)
"quoted" 'single' \$escaped
X
cat <<'X'
no $name here
X
