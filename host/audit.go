package host

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// AuditPath is where the audit log is.
func (h *Host) AuditPath() string {
	if p := h.Config.Audit.Path; p != "" {
		return p
	}
	return filepath.Join(h.Dirs.State, "audit.jsonl")
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
	log := audit.New(audit.Options{
		Path: h.AuditPath(), Level: level, MaxBytes: int64(h.Config.Audit.MaxMiB) << 20, Required: h.Config.Audit.Required,
		Warn:   func(err error) { h.notify(ui.Warning, "the audit log: %v", err) },
		Digest: h.digests(),
	})
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
