package plugin

import (
	"fmt"
	"strings"
)

var ownDirs = []string{"skills/", "recipes/", "hooks/", "tools/"}

// hasClaudeLayout reports whether a list of paths is a Claude Code plugin's.
func hasClaudeLayout(entries []entry) bool {
	for _, e := range entries {
		switch {
		case e.path == claudeManifest, e.path == "hooks/"+claudeHooks:
			return true
		case strings.HasPrefix(e.path, "commands/"), strings.HasPrefix(e.path, "agents/"):
			if strings.HasSuffix(e.path, ".md") {
				return true
			}
		}
	}
	return false
}

// selection tells which files of a source are installed. Of a Claude Code
// plugin that is everything, since its hooks name scripts anywhere in it;
// otherwise the four directories and what tells people about the plugin.
func selection(entries []entry) func(path string) bool {
	claude := hasClaudeLayout(entries)
	return func(p string) bool {
		first, _, nested := strings.Cut(p, "/")
		if claude {
			return !strings.HasPrefix(first, ".") || first == ".claude-plugin" || p == ".mcp.json" || p == ".lsp.json"
		}
		for _, dir := range ownDirs {
			if strings.HasPrefix(p, dir) {
				return true
			}
		}
		return !nested && isNotice(p)
	}
}

func isNotice(file string) bool {
	file = strings.ToLower(file)
	for _, stem := range []string{"readme", "license", "licence", "notice", "copying", "changelog"} {
		if file == stem || strings.HasPrefix(file, stem+".") {
			return true
		}
	}
	return false
}

// filterFault looks for an attribute that has git change contents on their way
// into a work tree. Nothing is checked out here, so the files would not be what
// their author meant.
func filterFault(name, path string, attributes []byte) error {
	line := 0
	for text := range strings.Lines(string(attributes)) {
		line++
		fields := strings.Fields(text)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		for _, attribute := range fields[1:] {
			if filter, ok := strings.CutPrefix(attribute, "filter="); ok {
				return &RefusedError{Plugin: name, Path: path, Reason: fmt.Sprintf("line %d asks for the content filter %q, and filters are not run; the files would not be as meant", line, filter)}
			}
		}
	}
	return nil
}

// marketplaceHint explains a repository that lists plugins instead of being one.
func marketplaceHint(entries []entry) string {
	for _, e := range entries {
		if e.path == ".claude-plugin/marketplace.json" {
			return "it is a marketplace: add it with plugin marketplace add, and then a plugin of it as NAME@MARKETPLACE"
		}
	}
	return ""
}
