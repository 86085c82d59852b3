package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Heard is what one call of a recording hook received.
type Heard struct {
	Hook    string
	Payload json.RawMessage // as it came
	Env     []string        // names of the variables that the host sets for hooks
	Dir     string
}

// IsHook reports whether this process was started as a recording hook: its command is
// the program itself with the word oracle-hook, a directory and the hook's name.
func IsHook(args []string) bool { return len(args) == 4 && args[1] == "oracle-hook" }

// RunHook is the recording hook: it keeps what it received in the directory, says what
// the directory's answers tell it, and returns its exit code.
func RunHook(args []string) int {
	a, err := record(args[2], args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, "recording hook:", err)
		return 99
	}
	time.Sleep(time.Duration(a.Sleep * float64(time.Second)))
	if file := os.Getenv("CLAUDE_ENV_FILE"); a.Append != "" && file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintln(os.Stderr, "recording hook:", err)
			return 99
		}
		fmt.Fprintln(f, a.Append)
		f.Close()
	}
	if a.JSON != nil {
		_ = json.NewEncoder(os.Stdout).Encode(a.JSON)
	}
	fmt.Fprint(os.Stdout, a.Out)
	fmt.Fprint(os.Stderr, a.Err)
	return a.Exit
}

func record(dir, name string) (Answer, error) {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		return Answer{}, err
	}
	h := Heard{Hook: name, Payload: bytes.TrimSpace(payload)}
	if !json.Valid(h.Payload) {
		h.Payload, _ = json.Marshal(string(payload))
	}
	for _, kv := range os.Environ() {
		if key, _, _ := strings.Cut(kv, "="); strings.HasPrefix(key, "CLAUDE") {
			h.Env = append(h.Env, key)
		}
	}
	h.Dir, _ = os.Getwd()
	return h.keep(dir)
}

// keep puts a call at the end of what a room's hooks have received, and returns what is to be
// said to it.
func (h Heard) keep(dir string) (Answer, error) {
	line, err := plainJSON(h)
	if err != nil {
		return Answer{}, err
	}
	// One write is one line, also when several hooks run at once.
	f, err := os.OpenFile(filepath.Join(dir, "heard.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return Answer{}, err
	}
	if _, err := f.Write(line); err != nil {
		return Answer{}, errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return Answer{}, err
	}
	heard, err := readHeard(dir)
	if err != nil {
		return Answer{}, err
	}
	var answers map[string][]Answer
	raw, err := os.ReadFile(filepath.Join(dir, "answers.json"))
	if err == nil {
		err = json.Unmarshal(raw, &answers)
	}
	mine := answers[h.Hook]
	if err != nil || len(mine) == 0 {
		return Answer{}, err
	}
	calls := 0
	for _, other := range heard {
		if other.Hook == h.Hook {
			calls++
		}
	}
	return mine[min(calls, len(mine))-1], nil
}

// plainJSON is a value as one line, in which <, > and & stand as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// readHeard returns what the hooks of a room have received so far.
func readHeard(dir string) ([]Heard, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "heard.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Heard
	for line := range bytes.Lines(raw) {
		var h Heard
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, fmt.Errorf("reading what hooks received: %w", err)
		}
		out = append(out, h)
	}
	return out, nil
}
