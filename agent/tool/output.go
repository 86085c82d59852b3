package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxOutput is how much of an output a model sees, in bytes.
const maxOutput = 30_000

// save writes text into a new file for outputs and returns its path.
func (s *Set) save(prefix, text string) (string, error) {
	dir, n, err := s.outputDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%d.txt", prefix, n))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("saving an output: %w", err)
	}
	return path, nil
}

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

// shorten returns text as it is when it is short, else its beginning and its
// end with a note between them, and the file that holds all of it.
func (s *Set) shorten(prefix, text string) (short, file string, err error) {
	if len(text) <= maxOutput {
		return text, "", nil
	}
	if file, err = s.save(prefix, text); err != nil {
		return "", "", err
	}
	head, tail := clip(text, maxOutput*2/3), clipStart(text, maxOutput/3)
	note := fmt.Sprintf("\n\n… %d bytes left out; all %d bytes are in %s …\n\n", len(text)-len(head)-len(tail), len(text), file)
	return head + note + tail, file, nil
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
