#!/bin/bash
cat > where.sh <<'X'
#!/bin/bash
DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
[ "$DIR" = "$PWD" ] && echo same
X
chmod +x where.sh
./where.sh
