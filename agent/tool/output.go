package tool

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// maxOutput is how much of an output a model sees, in bytes.
const maxOutput = 30_000

// outputDir returns the directory for outputs and a number that is free in it.
func (s *Set) outputDir() (string, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outputs++
	dir := s.cfg.OutputDir
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", 0, fmt.Errorf("directory for outputs: %w", err)
		}
		return dir, s.outputs, nil
	}
	if s.tempDir == "" {
		temp, err := os.MkdirTemp("", "hookline-output-")
		if err != nil {
			return "", 0, fmt.Errorf("directory for outputs: %w", err)
		}
		s.tempDir = temp
	}
	return s.tempDir, s.outputs, nil
}

// shorten is Shorten with the set's directory.
func (s *Set) shorten(prefix, text string) (short, file string, err error) {
	if len(text) <= maxOutput {
		return text, "", nil
	}
	dir, _, err := s.outputDir()
	if err != nil {
		return "", "", err
	}
	return Shorten(text, dir, prefix)
}

// Shorten returns text as it is when a model can be shown it, else its
// beginning and its end with a note between them. All of it is then in a new
// file in dir ("" is the system's directory for temporary files) whose name
// begins with prefix.
func Shorten(text, dir, prefix string) (short, file string, err error) {
	if len(text) <= maxOutput {
		return text, "", nil
	}
	f, err := os.CreateTemp(dir, prefix+"-*.txt")
	if err != nil {
		return "", "", fmt.Errorf("saving an output: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", "", fmt.Errorf("saving an output: %w", err)
	}
	head, tail := clip(text, maxOutput*2/3), clipStart(text, maxOutput/3)
	note := fmt.Sprintf("\n\n… %d bytes left out; all %d bytes are in %s …\n\n", len(text)-len(head)-len(tail), len(text), f.Name())
	return head + note + tail, f.Name(), nil
}

// clip returns the first n bytes of a text, without a cut character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// clipStart returns the last n bytes of a text, without a cut character.
func clipStart(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// decode makes text of what a program wrote.
func decode(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
