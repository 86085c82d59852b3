//go:build unix

package shebang_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/shebang"
)

func TestFault(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"fine":           {"#!/bin/sh\nexit 0\n", 0o755, ""},
		"fine by env":    {"#!/usr/bin/env sh\n", 0o755, ""},
		"env with flags": {"#!/usr/bin/env -S nothing -x\n", 0o755, ""},
		"no script":      {"\x7fELF", 0o755, ""},
		"empty":          {"", 0o755, ""},
		"no bit":         {"#!/bin/sh\n", 0o644, "chmod +x"},
		"crlf":           {"#!/bin/sh\r\nexit 0\r\n", 0o755, "CRLF"},
		"mark":           {"\ufeff#!/bin/sh\n", 0o755, "byte order mark"},
		"nobody":         {"#!\n", 0o755, "names no interpreter"},
		"gone":           {"#!/no/such/python\n", 0o755, "names /no/such/python, which is not there"},
		"gone from PATH": {"#!/usr/bin/env no-such-python\n", 0o755, "asks for no-such-python"},
		"long":           {"#!/" + strings.Repeat("x", 600), 0o755, ""},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		got := shebang.Fault(path, []string{"/bin", "/usr/bin"})
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := shebang.Fault(dir, nil); got != "it is a directory" {
		t.Errorf("a directory: %q", got)
	}
	if got := shebang.Fault(filepath.Join(dir, "nothing"), nil); got != "" {
		t.Errorf("nothing: %q", got)
	}
}
