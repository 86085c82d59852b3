package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/ui"
)

// looker is a screen whose looks a module changes.
type looker struct {
	testHost
	expanded bool
	said     []string
}

func (h *looker) Themes() []ui.Theme {
	return []ui.Theme{{Name: "dark"}, {Name: "light", Styles: map[string]string{"accent": "34"}}}
}

func (h *looker) SetTheme(name string) error {
	if name != "light" {
		return errors.New("there is no theme " + name)
	}
	h.said = append(h.said, "theme "+name)
	return nil
}
func (h *looker) ToolsExpanded() bool           { return h.expanded }
func (h *looker) SetToolsExpanded(on bool)      { h.expanded = on }
func (h *looker) SetThinkingLabel(label string) { h.said = append(h.said, "thinking "+label) }
func (h *looker) SetWorking(w Working) {
	h.said = append(h.said, fmt.Sprintf("working %v %q %v", w.Hidden, w.Frames, w.Interval))
}
func (h *looker) Statuses() map[string]string { return map[string]string{"b": "two", "a": "one"} }
func (h *looker) Branch() string              { return "main" }
func (h *looker) EntryAdded()                 { h.said = append(h.said, "entry added") }
func (h *looker) RedrawTool(id string)        { h.said = append(h.said, "redraw "+id) }

var _ Appearance = (*looker)(nil)

// Extensions of oh-my-pi wait for themes.
func TestThemesAreAwaitedInOhMyPi(t *testing.T) {
	m := loadSource(t, `export default (pi) => { pi.on("e", async (e, { ui }) => [
		await ui.getAllThemes().then((l) => l.length), await ui.getTheme("light").then((th) => th.name), await ui.setTheme("light").then((r) => r.success)]); }`,
		Options{Host: &looker{testHost: testHost{u: &testUI{}}}, Grants: Grants{UI: true}, Family: FamilyOMP, Kind: KindExtension})
	if got := fire(t, m, "e", "{}"); got != `[2,"light",true]` {
		t.Error(got)
	}
}

func TestAModuleChangesTheLooks(t *testing.T) {
	host := &looker{testHost: testHost{u: &testUI{}}}
	m := loadSource(t, `export default (pi) => {
		pi.on("e", (e, { ui }) => {
			const before = ui.getToolsExpanded();
			ui.setToolsExpanded(true);
			ui.setHiddenThinkingLabel("Pondering");
			ui.setWorkingIndicator({ frames: ["a", "b"], intervalMs: 100 });
			ui.setWorkingVisible(false);
			ui.setWorkingIndicator();
			return [ui.getAllThemes().map((t) => t.name), ui.getTheme("light").fg("accent", "x"), String(ui.getTheme("none")),
				ui.setTheme("light"), ui.setTheme(ui.getTheme("light")), ui.setTheme("none"), before, ui.getToolsExpanded()];
		});
		pi.registerTool({ name: "count", description: "counts", parameters: {}, execute: async () => ({ content: [] }),
			renderCall(args, theme, ctx) {
				ctx.state.n = (ctx.state.n ?? 0) + 1;
				if (ctx.state.n === 1) ctx.invalidate();
				return { render: (w) => [args.what + " " + ctx.toolCallId + " " + ctx.state.n + " " + !!ctx.lastComponent] };
			},
			renderResult: (r, o, theme, ctx) => ({ render: (w) => [r.details.n + " " + ctx.state.n + " " + o.isPartial + o.expanded + ctx.isError] }),
		});
	}`, Options{Host: host, Grants: Grants{UI: true}})
	want := `[["dark","light"],"\u001b[34mx\u001b[39m","undefined",{"success":true},{"success":true},{"success":false,"error":"there is no theme none"},false,true]`
	if got := fire(t, m, "e", "{}"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var rows []string
	for _, d := range []ToolDrawing{
		{CallID: "1", Part: "call", Input: jsontext.Value(`{"what":"bolts"}`)},
		{CallID: "2", Part: "call", Input: jsontext.Value(`{"what":"nuts"}`)},
		{CallID: "1", Part: "call", Input: jsontext.Value(`{"what":"bolts"}`)},
		{CallID: "1", Part: "result", Result: jsontext.Value(`{"content":[],"details":{"n":7}}`), Expanded: true, IsError: true},
	} {
		lines, err := m.RenderTool(context.Background(), "count", d, 20)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.Join(lines, "|"))
	}
	if want := []string{"bolts 1 1 false", "nuts 2 1 false", "bolts 1 2 true", "7 2 falsetruetrue"}; !slices.Equal(rows, want) {
		t.Errorf("drew %q", rows)
	}
	if want := []string{
		"thinking Pondering", `working false ["a" "b"] 100ms`, `working true ["a" "b"] 100ms`, `working true [] 0s`,
		"theme light", "theme light", "redraw 1", "redraw 2",
	}; !slices.Equal(host.said, want) {
		t.Errorf("the screen was told %q", host.said)
	}
	if got := m.Unsupported(); len(got) != 0 {
		t.Errorf("without effect: %v", got)
	}
}

func TestCompletionsOfModules(t *testing.T) {
	m := loadSource(t, `export default (pi) => {
		pi.on("e", (e, { ui }) => {
			ui.addAutocompleteProvider((current) => ({
				async getSuggestions(lines, row, column, options) {
					const m = /#(\d*)$/.exec(lines[row].slice(0, column));
					if (!m) return current.getSuggestions(lines, row, column, options);
					return { items: [{ value: "#12", label: "#12", description: "a fault" }], prefix: m[0] };
				},
				applyCompletion: (...args) => current.applyCompletion(...args),
			}));
			ui.addAutocompleteProvider((current) => ({ ...current, getSuggestions: (lines, row, column, o) =>
				lines[row] === "slow" ? new Promise(() => {}) : current.getSuggestions(lines, row, column, o) }));
		});
	}`, Options{})
	if m.Info().Completes {
		t.Error("it completes before there is a provider")
	}
	fire(t, m, "e", "{}")
	if !m.Info().Completes {
		t.Error("the provider is not announced")
	}
	got, err := m.CompleteText(t.Context(), []string{"🙂 one", "see #1 there"}, 1, 6)
	if want := []Completion{{"#12", "a fault", "🙂 one\nsee #12 there", 13}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := m.CompleteText(t.Context(), []string{"nothing"}, 0, 7); err != nil || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := m.CompleteText(ctx, []string{"slow"}, 0, 4); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a provider that never answers: %v", err)
	}
}
