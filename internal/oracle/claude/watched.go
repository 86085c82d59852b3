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

// planCases are calls in plan mode.
func planCases() []oracle.Case {
	writing := turns(oracle.Call("Write", object{"file_path": "$PROJ/a.txt", "content": "a"}))
	out := []oracle.Case{
		{Name: "plan/read", Script: turns(bash("ls"))},
		{Name: "plan/bash", Script: unpermitted.Script, Files: unpermitted.Files, Allowed: []string{}},
		{Name: "plan/bash-allowed"},
		{Name: "plan/write", Script: writing, Allowed: []string{}},
		{Name: "plan/write-allowed", Script: writing},
	}
	for i := range out {
		out[i].Settings, out[i].Args = everything(), []string{"--permission-mode", "plan"}
	}
	return out
}

// afterCompaction are instructions that are read anew.
func afterCompaction() []oracle.Case {
	settings := func() object { return also(object{"hooks": object{}}, "InstructionsLoaded", "PostCompact", "Stop") }
	c := oracle.Case{Files: map[string]string{"CLAUDE.md": "be kind\n"}, Script: compacting.Script}
	c.Script.Turns = []oracle.Turn{oracle.Say("All done.")} // to each prompt, however much of the conversation is left
	next, again := c, c
	next.Name, next.Settings, next.Front = streaming+"/InstructionsLoaded/after-compaction", settings(), streaming
	next.Steps = []oracle.Step{say("make the file"), say("/compact keep names"), say("and keep names")} // is answered with a summary too, as the real program sends the command along
	again.Name, again.Settings, again.Again = "InstructionsLoaded/of-compaction", settings(), []string{"/compact keep names"}
	return []oracle.Case{next, again}
}
