package host

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// AuditPlaces are where the audit log is, the key that signs its end, and its second
// head. The key is always in the state directory.
func (h *Host) AuditPlaces() audit.Options {
	o := audit.Options{Path: filepath.Join(h.Dirs.State, "audit.jsonl"), Key: filepath.Join(h.Dirs.State, "audit.key"), Second: h.Config.Audit.Head}
	if p := h.Config.Audit.Path; p != "" {
		sum := sha256.Sum256([]byte(p))
		o.Path, o.Key = p, filepath.Join(h.Dirs.State, fmt.Sprintf("audit-%x.key", sum[:6]))
	}
	return o
}

// openAudit opens the audit log as the options and the configuration say; nil when it is
// off.
func (h *Host) openAudit() (*audit.Log, error) {
	word := h.opts.Audit
	if word == "" {
		word = h.Config.Audit.Level
	}
	level, off, err := audit.ParseLevel(word)
	if err != nil || off {
		return nil, err
	}
	o := h.AuditPlaces()
	o.Level, o.MaxBytes, o.Required = level, int64(h.Config.Audit.MaxMiB)<<20, h.Config.Audit.Required
	o.Warn = func(err error) { h.notify(ui.Warning, "the audit log: %v", err) }
	o.Digest, o.Environ = h.digests(), h.opts.Environ
	log := audit.New(o)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.overrides {
		if err := log.Note(audit.Record{Reason: o}); err != nil {
			return nil, errors.Join(fmt.Errorf("record the override: %w", err), log.Close())
		}
	}
	h.overrides = nil
	return log, nil
}

// digests finds the digest of a registration's hook.
func (h *Host) digests() func(*hook.Info) string {
	by := map[string]string{}
	for _, f := range h.Set().Hooks {
		by[f.Source+"\x00"+f.FullName()] = f.Digest
	}
	return func(i *hook.Info) string { return by[i.Source+"\x00"+i.Name] }
}
