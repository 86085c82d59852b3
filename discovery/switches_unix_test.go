//go:build unix

package discovery_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

// TestProjectSwitchesNoApprovedGuardOff has a project switch off what it brings: a guard that
// a person approved stays in force, whether it can run or not; an observer, and what nobody
// approved, do not. The person takes it out.
func TestProjectSwitchesNoApprovedGuardOff(t *testing.T) {
	settings := func(event, more string) string {
		return `{` + more + `"hooks":{"` + event + `":[{"hooks":[{"name":"guard","type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/guard.sh","onFailure":"block"}]}]}}`
	}
	const guard = "#!/bin/sh\ncat >/dev/null\necho no >&2\nexit 2\n"
	approved := func(p *place) {
		p.write(p.dirs.Project, "guard.sh", guard)
		p.write(p.dirs.Project, ".claude/settings.json", settings("PreToolUse", ""))
		p.approve()
	}
	worker := func(p *place) {
		p.write(p.dirs.Project, ".hookline/workers/guard", "#!/bin/sh\n"+denyWorker("no"))
		p.approve()
	}
	for name, c := range map[string]struct {
		has  func(p *place)
		off  func(p *place)
		want string // the reason of the denial
	}{
		"by its configuration":     {approved, func(p *place) { p.write(p.dirs.Project, ".hookline/config.json", `{"hooks":{"disabled":["guard"]}}`) }, "no"},
		"all by its configuration": {approved, func(p *place) { p.write(p.dirs.Project, ".hookline/config.json", `{"hooks":{"off":true}}`) }, "no"},
		"by its settings": {approved, func(p *place) {
			p.write(p.dirs.Project, ".claude/settings.json", settings("PreToolUse", `"disableAllHooks":true,`))
		}, "no"},
		"by its local settings": {approved, func(p *place) { p.write(p.dirs.Project, ".claude/settings.local.json", `{"disableAllHooks":true}`) }, "no"},
		"a worker":              {worker, func(p *place) { p.write(p.dirs.Project, ".hookline/config.json", `{"hooks":{"disabled":["guard"]}}`) }, "no"},
		"one that changed, and so it fails": {approved, func(p *place) {
			p.write(p.dirs.Project, "guard.sh", guard+"\n")
			p.write(p.dirs.Project, ".hookline/config.json", `{"hooks":{"disabled":["guard"]}}`)
		}, "changed since it was approved"},
		"one that nobody approved": {func(p *place) {
			p.write(p.dirs.Project, "guard.sh", guard)
			p.write(p.dirs.Project, ".claude/settings.json", settings("PreToolUse", ""))
		}, func(p *place) { p.write(p.dirs.Project, ".hookline/config.json", `{"hooks":{"disabled":["guard"]}}`) }, ""},
		"an observer": {func(p *place) {
			p.write(p.dirs.Project, "guard.sh", guard)
			p.write(p.dirs.Project, ".claude/settings.json", settings("Notification", ""))
			p.approve()
		}, func(p *place) { p.write(p.dirs.Project, ".hookline/config.json", `{"hooks":{"disabled":["guard"]}}`) }, ""},
		"the person does": {approved, func(p *place) {
			p.write(p.dirs.Config, "config.json", `{"hooks":{"disabledIn":{"`+p.dirs.Project+`":["guard"]}}}`)
		}, ""},
		"the person does in another project": {approved, func(p *place) {
			p.write(p.dirs.Config, "config.json", `{"hooks":{"disabledIn":{"/elsewhere":["guard"]}}}`)
		}, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			c.has(p)
			c.off(p)
			cfg, _ := config.Load("", p.dirs.Config, filepath.Join(p.dirs.Project, ".hookline"))
			e, set := p.register(p.loader(func(o *discovery.Options) { o.Gate, o.Config = nil, cfg }), hook.WithStrict())
			out, ran := p.call(e)
			if ran != (c.want == "") || !strings.Contains(out.Reason, c.want) {
				t.Errorf("the call ran: %v, %q: %+v", ran, out.Reason, set.Hooks)
			}
			if off := set.Hooks[0].Status == discovery.Disabled; off != (c.want == "") {
				t.Errorf("it is %s: %s", set.Hooks[0].Status, set.Hooks[0].Why)
			}
		})
	}
}
