package process_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/handler/process"
)

func TestEnvironDropsWhatTheTableNames(t *testing.T) {
	drop := []string{
		"GITHUB_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID",
		"AWS_SESSION_TOKEN", "PGPASSWORD", "DB_PASSWORD_FILE", "MY_SECRET", "GOOGLE_APPLICATION_CREDENTIALS", "npm_config__auth",
		"GIT_DIR", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_TEMPLATE_DIR", "GIT_ASKPASS",
		"LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "BASH_ENV", "ENV", "PYTHONSTARTUP",
		"BASH_FUNC_ls%%", "OTEL_EXPORTER_OTLP_ENDPOINT", "github_token",
	}
	keep := []string{
		"PATH", "HOME", "LANG", "TERM", "USER", "TMPDIR", "SSH_AUTH_SOCK", "GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL",
		"KEYBOARD", "TOKENIZERS_PARALLELISM", "MONKEY", "ENVIRONMENT", "PYTHONPATH", "http_proxy", "OLDPWD", "COMPASS",
	}
	var base []string
	for _, name := range slices.Concat(drop, keep) {
		base = append(base, name+"=value")
	}
	env, dropped := process.Environ(base, nil, process.EnvPolicy{})
	want := slices.Clone(drop)
	slices.Sort(want)
	if !slices.Equal(dropped, want) {
		t.Errorf("dropped %q\nwant    %q", dropped, want)
	}
	for _, name := range keep {
		if !slices.Contains(env, name+"=value") {
			t.Errorf("%s is missing", name)
		}
	}
	if len(env) != len(keep)+1 || !slices.Contains(env, "GIT_TERMINAL_PROMPT=0") {
		t.Errorf("got %q", env)
	}
}

func TestEnvironPolicy(t *testing.T) {
	base := []string{"PATH=/bin", "A_TOKEN=1", "B_TOKEN=2", "EDITOR=vi", "HOME=/h", "LD_PRELOAD=x"}
	for name, tc := range map[string]struct {
		policy process.EnvPolicy
		set    []string
		want   string
	}{
		"default":                 {process.EnvPolicy{}, nil, "PATH=/bin EDITOR=vi HOME=/h GIT_TERMINAL_PROMPT=0"},
		"keep by name, any case":  {process.EnvPolicy{Keep: []string{"a_token"}}, nil, "PATH=/bin A_TOKEN=1 EDITOR=vi HOME=/h GIT_TERMINAL_PROMPT=0"},
		"drop beats keep":         {process.EnvPolicy{Keep: []string{"*_TOKEN"}, Drop: []string{"B_*"}}, nil, "PATH=/bin A_TOKEN=1 EDITOR=vi HOME=/h GIT_TERMINAL_PROMPT=0"},
		"only":                    {process.EnvPolicy{Only: []string{"PATH", "H*"}}, nil, "PATH=/bin HOME=/h GIT_TERMINAL_PROMPT=0"},
		"only does not let in":    {process.EnvPolicy{Only: []string{"*"}}, nil, "PATH=/bin EDITOR=vi HOME=/h GIT_TERMINAL_PROMPT=0"},
		"only and keep":           {process.EnvPolicy{Only: []string{"A_*"}, Keep: []string{"A_*"}}, nil, "A_TOKEN=1 GIT_TERMINAL_PROMPT=0"},
		"empty only passes none":  {process.EnvPolicy{Only: []string{}}, nil, "GIT_TERMINAL_PROMPT=0"},
		"set replaces and adds":   {process.EnvPolicy{}, []string{"HOME=/x", "NEW=1", "C_KEY=2"}, "PATH=/bin EDITOR=vi HOME=/x GIT_TERMINAL_PROMPT=0 NEW=1 C_KEY=2"},
		"set may let git ask":     {process.EnvPolicy{}, []string{"GIT_TERMINAL_PROMPT=1"}, "PATH=/bin EDITOR=vi HOME=/h GIT_TERMINAL_PROMPT=1"},
		"broken entries are left": {process.EnvPolicy{}, []string{"noequals", "X=a\x00b", "=y"}, "PATH=/bin EDITOR=vi HOME=/h GIT_TERMINAL_PROMPT=0"},
	} {
		t.Run(name, func(t *testing.T) {
			env, _ := process.Environ(base, tc.set, tc.policy)
			if got := strings.Join(env, " "); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestEnvironLastOfEqualNamesWins(t *testing.T) {
	env, _ := process.Environ([]string{"A=1", "B=2", "A=3"}, nil, process.EnvPolicy{})
	if got := strings.Join(env, " "); got != "A=3 B=2 GIT_TERMINAL_PROMPT=0" {
		t.Errorf("got %s", got)
	}
}

func TestEnvRulesAreWrittenAsTheyAreCompared(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range process.EnvRules() {
		if r.Pattern != strings.ToUpper(r.Pattern) || r.Why == "" || r.Class == "" || seen[r.Pattern] {
			t.Errorf("row %+v", r)
		}
		seen[r.Pattern] = true
	}
}
