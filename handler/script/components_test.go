package script

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// board is a screen that draws what is laid over it, at the size of a terminal, once all that
// a module shows is there.
type board struct {
	testHost
	ready chan Component
}

func (h *board) ShowCustom(ctx context.Context, c Component) error {
	h.ready <- c
	<-ctx.Done()
	return ctx.Err()
}

// TestWhereOverlaysLie has the place of an overlay of two lines on a screen of 100×30.
func TestWhereOverlaysLie(t *testing.T) {
	for options, want := range map[string]string{
		`{}`:                                "14,10 80",
		`{ width: 40 }`:                     "14,30 40",
		`{ width: "50%", minWidth: 60 }`:    "14,20 60",
		`{ width: 500 }`:                    "14,0 100",
		`{ width: 20, anchor: "top-left" }`: "0,0 20",
		`{ width: 20, anchor: "left-center", margin: 3 }`:                         "14,3 20",
		`{ width: 20, anchor: "bottom-right", margin: { right: 2, bottom: 1 } }`:  "27,78 20",
		`{ width: 20, anchor: "bottom-center", offsetX: -5, offsetY: 9 }`:         "28,35 20",
		`{ width: 20, row: "25%", col: "100%" }`:                                  "7,80 20",
		`{ width: 20, row: 3, col: 4, maxHeight: 1 }`:                             "3,4 20 one line",
		`{ width: 20, anchor: "top-right", maxHeight: "3%", nonCapturing: true }`: "0,80 20 one line, no keys",
		`{ width: 20, visible: (columns, rows) => columns > 100 || rows > 30 }`:   "hidden",
		`() => ({ width: 10, anchor: "top-left" })`:                               "0,0 10",
	} {
		host := &board{testHost: testHost{u: &testUI{}}, ready: make(chan Component, 1)}
		m := loadSource(t, `export default (pi) => { pi.on("e", (_, ctx) => void ctx.ui.custom((tui, theme, keys, done) => ({
			render: (w) => ["w" + w, "second"],
		}), { overlay: true, overlayOptions: `+options+` })) }`, Options{Host: host, Grants: Grants{UI: true}})
		fire(t, m, "e", "{}")
		c := <-host.ready
		d, err := c.Render(t.Context(), 100, 30)
		if err != nil || !c.Overlay() {
			t.Fatal(options, err, c.Overlay())
		}
		got := fmt.Sprintf("%d,%d %d", d.Place.Row, d.Place.Column, d.Place.Width)
		switch {
		case len(d.Lines) == 0:
			got = "hidden"
		case d.Lines[0] != fmt.Sprintf("w%d", d.Place.Width):
			t.Errorf("%s: drew %q for %d", options, d.Lines, d.Place.Width)
		case len(d.Lines) == 1:
			got += " one line"
		}
		if !d.Place.Keys && got != "hidden" {
			got += ", no keys"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
}

// TestOverlaysAreControlled has the handles of overlays, and which of them has the focus.
func TestOverlaysAreControlled(t *testing.T) {
	host := &board{testHost: testHost{u: &testUI{}}, ready: make(chan Component, 9)}
	m := loadSource(t, `export default (pi) => {
		const part = (name) => ({ focused: false, render() { return [name + " " + this.focused] } });
		pi.on("e", async (_, ctx) => {
			const seen = [];
			let first, screen;
			const answer = ctx.ui.custom((tui, theme, keys, done) => { screen = tui; return part("main") },
				{ overlay: true, overlayOptions: { width: 20 }, onHandle: (h) => { first = h } });
			await undefined; await undefined; await new Promise((ok) => setTimeout(ok));
			const panel = screen.showOverlay(part("panel"), { nonCapturing: true, anchor: "top-left" });
			const look = () => seen.push([first.isFocused(), panel.isFocused(), panel.isHidden(), screen.hasOverlay()].map(Number).join(""));
			look();
			panel.focus(); look();
			panel.unfocus(); look();
			panel.focus(); panel.setHidden(true); look();
			panel.hide(); look();
			first.hide();
			return { seen, answer: String(await answer) };
		});
	}`, Options{Host: host, Grants: Grants{UI: true}})
	if got, want := fire(t, m, "e", "{}"), `{"seen":["1001","0101","1001","1011","1011"],"answer":"undefined"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestWhatIsNotDrawnSaysSo has calls that a person's answer is expected of, where somebody
// could answer and nothing is drawn, and those that answer nothing.
func TestWhatIsNotDrawnSaysSo(t *testing.T) {
	const src = `export default (pi) => {
		pi.registerMarkdownTransformer(() => {});
		pi.on("e", async (_, ctx) => {
			const off = ctx.ui.onTerminalInput(() => {});
			off();
			ctx.ui.setEditorComponent(() => {});
			ctx.ui.setEditorComponent(() => {});
			ctx.ui.setEditorComponent(undefined);
			return { custom: await ctx.ui.custom(() => ({ render: () => [] })).catch((e) => e.message) };
		});
	}`
	seen := newReports()
	m := loadSource(t, src, Options{Host: &testHost{u: &testUI{}}, Grants: Grants{UI: true}, OnReport: seen.add})
	if got := fire(t, m, "e", "{}"); got != `{"custom":"not supported by this host: ui.custom"}` {
		t.Errorf("got %s", got)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	var said []string
	for _, r := range seen.list {
		said = append(said, r.Message)
		if r.Path != m.Path() {
			t.Errorf("%q does not name its module", r.Message)
		}
	}
	const why = ": this host has no such thing"
	if got, want := strings.Join(said, "|"), "registerMarkdownTransformer"+why+"|ui.onTerminalInput"+why+"|ui.setEditorComponent"+why; got != want {
		t.Errorf("said %s", got)
	}
	nobody := loadSource(t, src, Options{})
	if got := fire(t, nobody, "e", "{}"); got != `{}` {
		t.Errorf("with nobody there: %s", got)
	}
}
