package claude

import (
	"slices"

	"github.com/hookline-dev/hookline/internal/oracle"
)

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
	told := turns(bash("sleep 2; echo x > a.txt; sleep 3"), bash(`echo "value=$VALUE"`))
	list := answers("FileChanged")
	list["environment"] = oracle.Answer{Append: "export VALUE=MARK-VALUE"}
	for _, name := range slices.Sorted(keys(list)) {
		add(name, "a.txt", "", oracle.Case{Answers: map[string][]oracle.Answer{"h": {list[name], {}}}})
		c := &out[len(out)-1]
		c.Script = told
		if slices.Contains(everywhere, name) || slices.Contains(inPrograms, name) {
			under := *c
			under.Front, under.Name, under.Steps = streaming, streaming+"/"+c.Name, []oracle.Step{say("make the file")}
			out = append(out, under)
		}
	}
	add("watch-paths", "", "echo x > a.txt", oracle.Case{Settings: watching, Answers: map[string][]oracle.Answer{"begin": {specific("SessionStart", object{"watchPaths": []string{"$PROJ/a.txt"}})}}})
	return out
}

// modeCases are calls in modes that decide about them.
func modeCases() []oracle.Case {
	var out []oracle.Case
	add := func(mode, name string, c oracle.Case) {
		c.Name, c.Settings, c.Args = mode+"/"+name, everything(), []string{"--permission-mode", mode}
		out = append(out, c)
	}
	writing := oracle.Case{Script: turns(oracle.Call("Write", object{"file_path": "$PROJ/a.txt", "content": "a"})), Allowed: []string{}}
	for _, mode := range []string{"plan", "acceptEdits", "dontAsk"} {
		add(mode, "read", oracle.Case{Script: turns(bash("ls"))})
		add(mode, "bash", unpermitted)
		add(mode, "bash-allowed", oracle.Case{})
		add(mode, "write", writing)
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
