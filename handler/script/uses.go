package script

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// needs says which of a host's interfaces the members of the module API need.
// Those of needNothing have no counterpart in any host.
var needs = map[string]func(Host) bool{
	"sendMessage": has[Messenger], "sendUserMessage": has[Messenger], "appendEntry": has[Messenger],
	"setModel": has[AgentControl], "setActiveTools": has[AgentControl], "setThinkingLevel": has[AgentControl],
	"setSessionName": has[AgentControl], "compact": has[AgentControl], "registerProvider": has[AgentControl],
	"unregisterProvider": has[AgentControl],
	"newSession":         has[Sessions], "branch": has[Sessions], "fork": has[Sessions], "navigateTree": has[Sessions],
	"switchSession": has[Sessions], "reload": has[Sessions],
	"custom": has[Screen], "setWidget": has[Decorator], "setFooter": has[Decorator], "setHeader": has[Decorator],
	"setWorkingMessage":  has[Decorator],
	"setEditorComponent": needNothing, "addAutocompleteProvider": has[Screen], "onTerminalInput": needNothing,
	"setTheme": has[Appearance], "registerAssistantThinkingRenderer": needNothing, "registerEntryRenderer": has[Appearance],
}

func has[T any](h Host) bool {
	_, ok := h.(T)
	return ok
}

func needNothing(Host) bool { return false }

// mention finds the members of the module API in a module's text, by the names
// that modules give its objects.
var mention = lazyregexp.New(`\b(?:pi|api|ctx|context|ui)\.([A-Za-z]+)\s*\(`)

// uses lists the members in the text that need something of the host, sorted.
func uses(src string) []string {
	var out []string
	for _, m := range mention.Get().FindAllStringSubmatch(src, -1) {
		if needs[m[1]] != nil {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Unsupported lists what the module's text mentions and its host does not have,
// sorted: calling it throws, or has no effect. It goes by names, so it may list
// what never runs and miss what is called in a roundabout way.
func (m *Module) Unsupported() []string {
	var out []string
	for _, name := range m.bundle.uses {
		if supported := needs[name]; supported != nil && !supported(m.opts.Host) {
			out = append(out, name)
		}
	}
	return out
}

// ownSource reports whether a file is the module's own and not of a package.
func ownSource(path string) bool { return !strings.Contains(path, "node_modules") }
