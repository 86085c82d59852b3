package claude

import "github.com/hookline-dev/hookline/internal/oracle"

// initialising is the flag for which Setup is fired before the prompt.
var initialising = []string{"--init"}

// setupCases are what the flags bring about for which Setup is fired.
func setupCases() []oracle.Case {
	var out []oracle.Case
	add := func(name string, settings object, args []string, c oracle.Case) {
		c.Name, c.Settings, c.Args = "Setup/"+name, settings, args
		out = append(out, c)
	}
	maintaining, only := []string{"--maintenance"}, []string{"--init-only"}
	for _, m := range []string{"init", "maintenance", "init|maintenance"} {
		add("matcher/init-is-"+m, on("Setup", m, hook("h")), initialising, oracle.Case{})
		add("matcher/maintenance-is-"+m, on("Setup", m, hook("h")), maintaining, oracle.Case{})
	}
	late := map[string][]oracle.Answer{"h": {{Sleep: 8, Err: "MARK-LATE", Exit: 2}}}
	add("hook/timeout", on("Setup", "", hook("h", object{"timeout": 1})), initialising, oracle.Case{Answers: late})
	for name, h := range map[string]object{
		"missing-program":   {"type": "command", "command": "/no/such/program"},
		"killed":            {"type": "command", "command": "kill -9 $$"},
		"http-nobody-there": {"type": "http", "url": "http://127.0.0.1:9/x"},
		"prompt":            {"type": "prompt", "prompt": "JUDGE this: $ARGUMENTS"},
		"async":             hook("h", object{"async": true}),
		"if":                hook("h", object{"if": "Bash(echo *)"}),
	} {
		add("hook/"+name, on("Setup", "", h), initialising, oracle.Case{})
	}
	value, told := oracle.Answer{Append: "export VALUE=MARK-VALUE"}, turns(bash(`echo "value=$VALUE"`))
	add("environment", on("Setup", "", hook("h")), initialising, oracle.Case{Answers: map[string][]oracle.Answer{"h": {value}}, Script: told})
	both := map[string][]oracle.Answer{"Setup": {value}, "SessionStart": {{Append: `export VALUE="$VALUE and MARK-OTHER"`}}}
	add("environment-of-both", everything(), initialising, oracle.Case{Answers: both, Script: told})
	for name, args := range map[string][]string{"init": initialising, "maintenance": maintaining, "both-flags": {"--init", "--maintenance"}, "only": only} {
		add("session/"+name, everything(), args, oracle.Case{})
	}
	add("session/continued", everything(), initialising, oracle.Case{Again: []string{"and again"}})
	seated := oracle.Case{Front: terminal, Name: terminal + "/Setup/silence", Settings: also(on("Setup", "", hook("h")), "SessionEnd"), Args: initialising, Steps: []oracle.Step{say("make the file")}}
	seated.Steps[0].Until = nothing
	out = append(out, seated)
	for _, name := range everywhere[1:] {
		add("only/"+name, everything(), only, oracle.Case{Answers: map[string][]oracle.Answer{"Setup": {answers("Setup")[name]}}})
	}
	return out
}
