package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Needs are what the definition of a hook, or the manifest of its plugin, says of its
// sandbox.
type Needs struct {
	// Write are files and directories that it writes besides those of the policy: absolute,
	// below ~/, or relative to the project. Off has it run without a sandbox.
	Write []string `json:"write"`
	Off   bool     `json:"off"`
	// NoTCP forbids TCP to it.
	NoTCP bool `json:"noTCP"`
}

// ParseNeeds reads needs from JSON. What is not understood is an error: it may have been
// to tighten the sandbox.
func ParseNeeds(data []byte) (n Needs, err error) {
	if err := json.Unmarshal(data, &n, json.RejectUnknownMembers(true)); err != nil {
		return Needs{}, errors.New(jsonx.ErrorText(err))
	}
	for _, path := range n.Write {
		if path == "" || strings.IndexByte(path, 0) >= 0 {
			return Needs{}, fmt.Errorf("write: %q is not a path", path)
		}
	}
	return n, nil
}

// Zero reports whether nothing is asked for.
func (n *Needs) Zero() bool { return len(n.Write) == 0 && !n.Off && !n.NoTCP }

// And returns what both say together.
func (n *Needs) And(other Needs) Needs {
	return Needs{Write: slices.Concat(n.Write, other.Write), Off: n.Off || other.Off, NoTCP: n.NoTCP || other.NoTCP}
}

// Capabilities are what an approval grants.
func (n *Needs) Capabilities() (out []string) {
	for _, path := range n.Write {
		out = append(out, "to write "+path)
	}
	if n.Off {
		out = append(out, "to run without the sandbox")
	}
	return out
}
