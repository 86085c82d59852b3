#!/bin/bash
cat > helper.sh <<'X'
#!/bin/sh
echo "helper $0 $1 $#"
read -r line
echo "got $line"
exit 5
X
chmod +x helper.sh
./helper.sh one two
echo $?
