package claude

import "github.com/hookline-dev/hookline/internal/oracle"

// unknown are commands of which something is known only when they run, by its kind.
var unknown = map[string]string{
	"substitution": "echo $(pwd)", "substitution-quoted": `echo "$(pwd)"`, "substitution-in-text": `echo "a$(pwd)b"`, "substitution-backquoted": "echo `pwd`",
	"substitution-assigned": "A=$(pwd)", "substitution-assigned-quoted": `A="$(pwd)"`, "substitution-among-commands": "pwd && ls $(pwd)",
	"substitution-of-text": "echo \"$(cat <<'EOF'\n$(git push x)\nEOF\n)\"", "substitution-of-file": `echo "$(cat x)"`, "substitution-reread": `printf %s "$(pwd)"`,
	"substitution-as-program": "$(echo ls) x", "substitution-exported": "export A=$(pwd)", "process": "cat <(ls)",
	"variable": "echo $X", "variable-quoted": `echo "$X"`, "variable-in-braces": "echo ${X}", "variable-in-text": `echo "a $X"`, "variable-beside-text": "echo $X/a",
	"variable-of-environment": `echo "a $PWD"`, "variable-home": "echo $HOME/a", "variable-set": "X=1; echo $X", "variable-set-to-computed": "X=$(pwd); echo $X",
	"variable-set-for-command": "X=$Y echo", "variable-read": "read X; echo $X", "variable-of-loop": "for i in a b; do echo $i; done", "variable-with-default": "echo ${X:-y}",
	"variable-in-test": `[ -n "$X" ]`, "variable-in-brackets": `[[ -n $X ]]`, "variable-as-program": "$CMD push x", "variable-as-program-set": "CMD=ls; $CMD", "variable-as-program-set-to-it": "CMD=git; $CMD push x", "variable-as-subcommand": "git $SUB x",
	"parameter": "echo $1", "parameter-quoted": `echo "$1"`, "parameter-all": `echo "$@"`, "arithmetic": "echo $((1+1))", "arithmetic-of-variable": "echo $((X+1))",
	"eval": "eval ls", "eval-variable": `eval "$CMD"`, "shell-variable": `sh -c "$CMD"`, "here-document": "cat <<EOF\nx\nEOF", "here-document-quoted": "cat <<'EOF'\n$(pwd)\nEOF",
	"here-document-substitution": "cat <<EOF\n$(pwd)\nEOF", "here-document-to-shell": "sh <<EOF\ngit push x\nEOF", "here-string": "cat <<< x", "here-string-variable": "cat <<< $X",
	"file": "echo > $F", "braces": "echo {a,b}", "escapes": `echo $'a'`, "pattern": "echo *.go", "array": "A=(1 2)", "case": "case x in x) ls;; esac", "function": "f() { ls; }", "block": "{ ls; }",
	"subshell": "(cd . && pwd)", "loop": "while true; do ls; break; done", "loop-substitution": "while true; do echo $(pwd); break; done", "unreadable": `echo "unclosed`,
}

// behind are commands that others start, or that are written in another way; those in shells
// are among if-command.
var behind = map[string]string{"another": "env git push x", "path": "/usr/bin/git push x", "option": "git -C sub push x"}

// ifCases are what the rule of a hook's if holds for. The hook refuses what it hears of.
func ifCases() []oracle.Case {
	var out []oracle.Case
	add := func(name, rule, command string) {
		out = append(out, oracle.Case{
			Name: name, Settings: on("PreToolUse", "Bash", hook("h", object{"if": rule})), Script: turns(bash(command)),
			Answers: map[string][]oracle.Answer{"h": {specific("PreToolUse", object{"permissionDecision": "deny", "permissionDecisionReason": "MARK-NO"})}},
		})
	}
	for kind, command := range unknown {
		add("if-unknown/"+kind, "Bash(git push *)", command)
	}
	// what is a matter of more than the program's name alone
	for _, kind := range []string{"substitution", "substitution-in-text", "substitution-among-commands", "variable", "variable-quoted", "variable-as-program", "parameter"} {
		add("if-unknown-program/"+kind, "Bash(git *)", unknown[kind])
	}
	for kind, command := range behind {
		add("if-behind/"+kind, "Bash(git push *)", command)
	}
	return out
}
