package command_test

import (
	"testing"

	"github.com/hookline-dev/hookline/handler/command"
)

func TestIdentity(t *testing.T) {
	same := [][2]*command.Hook{
		{{Command: "x"}, {Command: "x", Shell: command.Sh}},
		{
			{Command: "${A}/x", Args: []string{}, Vars: map[string]string{"A": "/r"}},
			{Command: "/r/${B}", Args: []string{}, Vars: map[string]string{"B": "x"}},
		},
	}
	for _, p := range same {
		if p[0].Identity() != p[1].Identity() {
			t.Errorf("%+v and %+v differ", p[0].Command, p[1].Command)
		}
	}
	different := []*command.Hook{
		{Command: "x"},
		{Command: "x", Shell: command.Bash},
		{Command: "x", Args: []string{}},
		{Command: "x", Args: []string{""}},
		{Command: "x", Args: []string{"a", "b"}},
		{Command: "x", Args: []string{"ab"}},
		{Command: "x", Origin: "plugin"},
		{Command: "x", Prefix: "nice"},
	}
	seen := map[string]int{}
	for i, h := range different {
		if j, dup := seen[h.Identity()]; dup {
			t.Errorf("hooks %d and %d are the same", i, j)
		}
		seen[h.Identity()] = i
	}
}

func TestParseShell(t *testing.T) {
	for name, want := range map[string]command.Shell{"": command.Sh, "sh": command.Sh, "bash": command.Bash, "pwsh": command.PowerShell, "powershell": command.PowerShell} {
		if got, err := command.ParseShell(name); got != want || err != nil {
			t.Errorf("ParseShell(%q) = %q, %v", name, got, err)
		}
	}
	if _, err := command.ParseShell("zsh"); err == nil {
		t.Error("zsh was taken")
	}
}
