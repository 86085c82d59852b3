package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	b := newBench(t)
	b.write("hooks/native", "\x7fELF\x00", 0o755)
	b.write("hooks/long.txt", strings.Repeat("é", maxShown), 0o644)
	a := b.hook
	a.Files = append(a.Files, b.path("hooks/native"), b.path("hooks/long.txt"), b.path("hooks/absent.sh"))
	a.Capabilities = []string{"net:example.com"}
	a.Unseen = []string{"npx runs the package x"}
	d, err := Describe(a)
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]Content{}
	for _, c := range d.Contents {
		byPath[c.Path] = c
	}
	if c := byPath["hooks/guard.sh"]; c.Text != "#!/bin/sh\nexit 0\n" || c.Cut || c.Binary {
		t.Errorf("%+v", c)
	}
	if c := byPath["hooks/native"]; !c.Binary || c.Text != "" {
		t.Errorf("%+v", c)
	}
	if c := byPath["hooks/long.txt"]; !c.Cut || c.Binary || len(c.Text) != maxShown {
		t.Errorf("cut %t binary %t length %d", c.Cut, c.Binary, len(c.Text))
	}
	all := strings.Join(d.Warnings, "\n")
	for _, want := range []string{"hooks/absent.sh is not there", "granted net:example.com", "not covered: npx"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning about %q in %q", want, all)
		}
	}
	var out strings.Builder
	if err := RenderDescription(&out, d, Everything); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"PreToolUse", "hooks/guard.sh", d.State.Digest, "| #!/bin/sh", "(no text, 5 bytes)", "(not there)", "only the beginning"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// TestDialogCannotBeForged has a hook whose texts imitate the dialog.
func TestDialogCannotBeForged(t *testing.T) {
	b := newBench(t)
	evil := "x\x1b[2J\x1b[H\ndigest    sha256:0000\r\u202eapproved\u200b"
	b.write("hooks/guard.sh", evil+"\nnote: all is well\n", 0o755)
	a := b.hook
	a.Name, a.Command, a.Matcher, a.Definition, a.Event, a.Unseen = evil, evil, evil, evil, evil, []string{evil}
	d, err := Describe(a)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := RenderDescription(&out, d, Everything); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r\u202e\u200b") {
		t.Errorf("%q", out.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "digest    sha256:0000") || strings.HasPrefix(line, "note: all") {
			t.Errorf("forged: %q", line)
		}
	}
	b.approve(b.hook)
	r, err := b.store.Status(a)
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := RenderReport(&out, r); err != nil || strings.ContainsAny(out.String(), "\x1b\r\u202e\u200b") {
		t.Errorf("%v %q", err, out.String())
	}
}

func TestStatusShowsWhatChanged(t *testing.T) {
	b := newBench(t)
	b.write("hooks/mode.sh", "m\n", 0o755)
	b.write("hooks/gone.sh", "g\n", 0o755)
	b.write("hooks/bin", "\x00a", 0o755)
	a := b.hook
	a.Files = append(a.Files, b.path("hooks/mode.sh"), b.path("hooks/gone.sh"), b.path("hooks/bin"), b.path("hooks/later.sh"))
	r, err := b.store.Status(a)
	if err != nil || r.Status != StatusNew || r.Approval != nil {
		t.Fatalf("%v %+v", err, r)
	}
	b.approve(a)
	if r, err = b.store.Status(a); err != nil || r.Status != StatusApproved || len(r.Changes) != 0 {
		t.Fatalf("%v %+v", err, r)
	}
	b.write("hooks/guard.sh", "#!/bin/sh\nexit 2\n", 0o755)
	b.write("hooks/mode.sh", "m\n", 0o700)
	b.write("hooks/bin", "\x00b", 0o755)
	b.write("hooks/later.sh", "now here\n", 0o755)
	b.write("hooks/new.sh", "new\n", 0o755)
	os.Remove(b.path("hooks/gone.sh"))
	a.Files = append(a.Files, b.path("hooks/new.sh"))
	a.Definition = `{"event":"PreToolUse","command":"hooks/guard.sh --loud"}`
	a.Capabilities = []string{"exec"}
	if r, err = b.store.Status(a); err != nil || r.Status != StatusChanged {
		t.Fatalf("%v %+v", err, r)
	}
	var out strings.Builder
	if err := RenderReport(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"guard: changed", `+ `, `"command": "hooks/guard.sh --loud"`, "changed   hooks/guard.sh", "| -exit 0", "| +exit 2",
		"removed   hooks/gone.sh", "added     hooks/later.sh", "| +now here", "added     hooks/new.sh", "changed   hooks/bin (sha256:", "what it asks for",
	} {
		if !strings.Contains(out.String(), want) && want != "+ " {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if modesCount() && !strings.Contains(out.String(), "mode      hooks/mode.sh (mode 0700, approved was 0755)") {
		t.Errorf("no word of the mode in\n%s", out.String())
	}
	if err := b.store.Refuse(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if r, err = b.store.Status(a); err != nil || r.Status != StatusRefused || len(r.Changes) == 0 {
		t.Errorf("%v %v", err, r.Status)
	}
	// Without the content that was kept the digests are shown.
	if err := os.RemoveAll(filepath.Join(filepath.Dir(b.store.Path()), approvedDir)); err != nil {
		t.Fatal(err)
	}
	r, err = b.store.Status(b.hook)
	if err != nil || len(r.Changes) == 0 {
		t.Fatalf("%v %+v", err, r)
	}
	for _, c := range r.Changes {
		if c.Path == "hooks/guard.sh" && !strings.Contains(c.Note, "approved was sha256:") {
			t.Errorf("%+v", c)
		}
	}
}

func modesCount() bool { return filepath.Separator == '/' }
