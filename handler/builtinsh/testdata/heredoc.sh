#!/bin/sh
name=world
cat <<X
hello $name $((1 + 1)) $(echo sub)
"quoted" 'single' \$escaped
X
cat <<'X'
no $name here
X
cat <<-X
	tab stripped
	X
