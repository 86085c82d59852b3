package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Package is an npm package that holds a program.
type Package struct {
	Name    string
	Version string // a version, or latest
	Program string // path of the program in the package
}

// Installed is a program in the cache.
type Installed struct {
	Path, Version, License string
}

// NodeArch is what npm's packages call the machine's kind of processor.
func NodeArch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

// CacheDir returns where programs are installed and cases are played: ORACLE_CACHE, or a
// directory in the person's cache.
func CacheDir() (string, error) {
	if dir := os.Getenv("ORACLE_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "hookline-oracle"), err
}

// Cached returns the program of a package if it is installed already.
func (p Package) Cached(cache string) (Installed, bool) {
	at, err := p.look(p.Dir(cache))
	return at, err == nil
}

// Dir is where the package is installed in the cache.
func (p Package) Dir(cache string) string {
	return filepath.Join(cache, strings.NewReplacer("@", "", "/", "+").Replace(p.Name)+"-"+p.Version)
}

// Install puts a package into the cache with npm, unless it is there. The latest
// version is looked for each time.
func (p Package) Install(ctx context.Context, cache string) (Installed, error) {
	if at, ok := p.Cached(cache); ok && p.Version != "latest" {
		return at, nil
	}
	dir := p.Dir(cache)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Installed{}, err
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, p.Name+"@"+p.Version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return Installed{}, fmt.Errorf("installing %s %s: %w\n%s", p.Name, p.Version, err, out)
	}
	return p.look(dir)
}

// look finds the program in the directory of an installation.
func (p Package) look(dir string) (Installed, error) {
	root := filepath.Join(dir, "node_modules", filepath.FromSlash(p.Name))
	raw, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return Installed{}, err
	}
	var about struct {
		Version string `json:"version"`
		License string `json:"license"`
	}
	if err := json.Unmarshal(raw, &about); err != nil {
		return Installed{}, fmt.Errorf("reading what %s is: %w", p.Name, err)
	}
	in := Installed{Path: filepath.Join(root, filepath.FromSlash(p.Program)), Version: about.Version, License: about.License}
	if text, err := os.ReadFile(filepath.Join(root, "LICENSE.md")); err == nil {
		in.License = strings.TrimSpace(string(text))
	}
	_, err = os.Stat(in.Path)
	return in, err
}
