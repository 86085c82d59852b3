package claude

import "github.com/hookline-dev/hookline/internal/oracle"

// watchedCases are changes of files that a session watches. The command that changes one
// leaves a watcher the time to see it.
func watchedCases() []oracle.Case {
	var out []oracle.Case
	files := map[string]string{"a.txt": "a\n", "b.txt": "b\n", "sub/a.txt": "a\n"}
	add := func(name, matcher, command string, c oracle.Case) {
		if c.Settings == nil {
			c.Settings = on("FileChanged", matcher, hook("h"))
		}
		c.Name, c.Files, c.Script = "FileChanged/"+name, files, turns(bash("sleep 2; "+command+"; sleep 3"), bash("echo after"))
		out = append(out, c)
	}
	add("matcher-name", "a.txt", "echo x > a.txt", oracle.Case{})
	add("matcher-names", "a.txt|b.txt", "echo x > b.txt", oracle.Case{})
	add("matcher-other", "a.txt", "echo x > b.txt", oracle.Case{})
	add("matcher-below", "a.txt", "echo x > sub/a.txt", oracle.Case{})
	add("matcher-none", "", "echo x > a.txt", oracle.Case{})
	add("matcher-pattern", ".*\\.txt", "echo x > a.txt", oracle.Case{})
	add("matcher-path", "sub/a.txt", "echo x > sub/a.txt", oracle.Case{})
	add("made", "c.txt", "echo x > c.txt", oracle.Case{})
	add("removed", "a.txt", "rm a.txt", oracle.Case{})
	watching := on("FileChanged", "", hook("h"))
	addHook(watching, "SessionStart", "begin")
	for name, a := range map[string]oracle.Answer{"text": answers("FileChanged")["text"], "block": answers("FileChanged")["block"], "exit-2": answers("FileChanged")["exit-2"], "context": answers("FileChanged")["context"], "environment": {Append: "export VALUE=MARK-VALUE"}} {
		c := oracle.Case{Answers: map[string][]oracle.Answer{"h": {a, {}}}}
		add(name, "a.txt", "echo x > a.txt", c)
		out[len(out)-1].Script = turns(bash("sleep 2; echo x > a.txt; sleep 3"), bash(`echo "value=$VALUE"`))
	}
	add("watch-paths", "", "echo x > a.txt", oracle.Case{Settings: watching, Answers: map[string][]oracle.Answer{"begin": {specific("SessionStart", object{"watchPaths": []string{"$PROJ/a.txt"}})}}})
	return out
}
