package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/fsx"
)

const (
	marketplacesName    = "marketplaces.json"
	marketplacesVersion = 1
	maxMarketplaces     = 64 << 20
)

// Marketplace is a list of plugins that the person added. Offers of it can be searched and
// installed; nothing of it is, or runs, before.
type Marketplace struct {
	Name   string
	Source Source
	Commit string // that the list is of; empty for a directory
	Offers []Offer

	catalog catalog
}

// unknownOfferError is the error of a plugin that no marketplace of a name lists.
type unknownOfferError struct {
	Name, Marketplace string
	Known             []string // marketplaces, when that one was never added; its plugins otherwise
	Added             bool
}

func (e *unknownOfferError) Error() string {
	if e.Added {
		return fmt.Sprintf("the marketplace %s has no plugin %q; it has %s", e.Marketplace, e.Name, cmp.Or(strings.Join(e.Known, ", "), "none"))
	}
	return fmt.Sprintf("no marketplace %q was added, only %s", e.Marketplace, cmp.Or(strings.Join(e.Known, ", "), "none"))
}

// storedMarketplace is a marketplace as it is kept.
type storedMarketplace struct {
	Name    string         `json:"name"`
	Kind    SourceKind     `json:"kind"`
	Source  string         `json:"source"`
	Dir     string         `json:"dir,omitzero"`
	Ref     string         `json:"ref,omitzero"`
	Commit  string         `json:"commit,omitzero"`
	Catalog jsontext.Value `json:"catalog"`
}

type storedMarketplaces struct {
	Version      int                 `json:"version"`
	Marketplaces []storedMarketplace `json:"marketplaces"`
}

// Marketplaces lists those that the person added, by name.
func (s *Store) Marketplaces() ([]Marketplace, error) {
	kept, err := s.readMarketplaces()
	if err != nil {
		return nil, err
	}
	var out []Marketplace
	for _, k := range kept {
		m, err := k.open()
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// AddMarketplace reads the list of a source, a repository or a directory, and keeps it. One of
// the same name from elsewhere is an error.
func (s *Store) AddMarketplace(ctx context.Context, src Source) (Marketplace, error) {
	fresh, err := s.fetchMarketplace(ctx, src)
	if err != nil {
		return Marketplace{}, err
	}
	err = s.changeMarketplaces(ctx, func(all []storedMarketplace) ([]storedMarketplace, error) {
		i := slices.IndexFunc(all, func(k storedMarketplace) bool { return fold(k.Name) == fold(fresh.Name) })
		switch {
		case i < 0:
			return append(all, fresh), nil
		case all[i].Source != fresh.Source || all[i].Dir != fresh.Dir:
			return nil, fmt.Errorf("a marketplace %s was added from %s: remove it first", fresh.Name, all[i].Source)
		}
		all[i] = fresh
		return all, nil
	})
	if err != nil {
		return Marketplace{}, err
	}
	return fresh.open()
}

// UpdateMarketplaces reads the lists of the marketplaces of these names anew, without names
// those of all. What fails keeps its list; the error joins why.
func (s *Store) UpdateMarketplaces(ctx context.Context, names []string) ([]Marketplace, error) {
	all, err := s.named(names)
	if err != nil {
		return nil, err
	}
	var out []Marketplace
	var failures []error
	for _, m := range all {
		fresh, err := s.fetchMarketplace(ctx, m.Source)
		if err == nil && fresh.Name != m.Name {
			err = fmt.Errorf("it calls itself %s now: remove it, and add it again", fresh.Name)
		}
		if err == nil {
			err = s.changeMarketplaces(ctx, func(all []storedMarketplace) ([]storedMarketplace, error) {
				i := slices.IndexFunc(all, func(k storedMarketplace) bool { return k.Name == m.Name })
				if i >= 0 { // it may have been removed meanwhile
					all[i] = fresh
				}
				return all, nil
			})
		}
		if err == nil {
			m, err = fresh.open()
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("update the marketplace %s: %w", m.Name, err))
			continue
		}
		out = append(out, m)
	}
	return out, errors.Join(failures...)
}

// RemoveMarketplaces forgets marketplaces. Plugins that came from them stay.
func (s *Store) RemoveMarketplaces(ctx context.Context, names []string) error {
	if _, err := s.named(names); err != nil {
		return err
	}
	return s.changeMarketplaces(ctx, func(all []storedMarketplace) ([]storedMarketplace, error) {
		return slices.DeleteFunc(all, func(k storedMarketplace) bool { return slices.Contains(names, k.Name) }), nil
	})
}

// Search gives the offers of all marketplaces in which each word occurs, whatever its case.
func (s *Store) Search(words []string) ([]Offer, error) {
	all, err := s.Marketplaces()
	if err != nil {
		return nil, err
	}
	var out []Offer
	for _, m := range all {
		for _, o := range m.Offers {
			text := strings.ToLower(strings.Join(append([]string{o.String(), o.Description, o.Category}, o.Words...), "\n"))
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) }) {
				out = append(out, o)
			}
		}
	}
	return out, nil
}

// Offered gives the source of what is asked for as NAME@MARKETPLACE. ok is false for what is
// written otherwise.
func (s *Store) Offered(spec string) (src Source, ok bool, err error) {
	name, market, two := cutLast(spec, "@")
	if !two || name == "" || market == "" || isPath(spec) || strings.ContainsAny(spec, `/\:#`) {
		return Source{}, false, nil
	}
	all, err := s.Marketplaces()
	if err != nil {
		return Source{}, true, err
	}
	unknown := &unknownOfferError{Name: name, Marketplace: market}
	for _, m := range all {
		if m.Name != market {
			unknown.Known = append(unknown.Known, m.Name)
			continue
		}
		unknown.Added, unknown.Known = true, nil
		for _, o := range m.Offers {
			if o.Name == name {
				src, err := m.catalog.sourceOf(m.Source, o.entry)
				return src, true, err
			}
			unknown.Known = append(unknown.Known, o.Name)
		}
		break
	}
	return Source{}, true, unknown
}

// named gives marketplaces by name, all without names.
func (s *Store) named(names []string) ([]Marketplace, error) {
	all, err := s.Marketplaces()
	if err != nil || len(names) == 0 {
		return all, err
	}
	var known []string
	for _, m := range all {
		known = append(known, m.Name)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, &unknownOfferError{Marketplace: n, Known: known}
		}
	}
	return slices.DeleteFunc(all, func(m Marketplace) bool { return !slices.Contains(names, m.Name) }), nil
}

func (s *Store) fetchMarketplace(ctx context.Context, src Source) (storedMarketplace, error) {
	data, commit, err := s.readCatalog(ctx, src)
	if err != nil {
		return storedMarketplace{}, fmt.Errorf("read the list of %s: %w", src.Address, err)
	}
	c, err := parseCatalog(src.Address, data)
	if err != nil {
		return storedMarketplace{}, err
	}
	return storedMarketplace{Name: c.Name, Kind: src.Kind, Source: src.Address, Dir: src.Dir, Ref: src.Ref, Commit: commit, Catalog: data}, nil
}

// open reads what is kept of a marketplace.
func (k storedMarketplace) open() (Marketplace, error) {
	c, err := parseCatalog(k.Source, k.Catalog)
	if err != nil {
		return Marketplace{}, err
	}
	src := Source{Kind: k.Kind, Address: k.Source, Dir: k.Dir, Ref: k.Ref, Name: Name{Repo: c.Name}}
	return Marketplace{Name: c.Name, Source: src, Commit: k.Commit, Offers: c.offers(), catalog: c}, nil
}

// marketplacesArea is where the list of marketplaces lies: with the person's plugins.
func (s *Store) marketplacesArea() (area, error) {
	own := *s
	own.InstallLayout = ""
	return own.target(Global)
}

func (s *Store) readMarketplaces() ([]storedMarketplace, error) {
	a, err := s.marketplacesArea()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(a.root(), marketplacesName)
	data, err := frontmatter.ReadRegular(file, maxMarketplaces)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the marketplaces: %w", err)
	}
	var kept storedMarketplaces
	if err := json.Unmarshal(data, &kept); err != nil {
		d := jsonDiagnostic(file, data, err)
		return nil, errors.New(d.String())
	}
	if kept.Version != marketplacesVersion {
		return nil, fmt.Errorf("%s has format %d, this program knows %d", file, kept.Version, marketplacesVersion)
	}
	return kept.Marketplaces, nil
}

// changeMarketplaces changes the list under the lock of the person's plugins.
func (s *Store) changeMarketplaces(ctx context.Context, change func([]storedMarketplace) ([]storedMarketplace, error)) error {
	a, err := s.marketplacesArea()
	if err != nil {
		return err
	}
	release, err := acquire(ctx, a.plugins(), "plugin marketplace", nil)
	if err != nil {
		return err
	}
	defer release()
	all, err := s.readMarketplaces()
	if err != nil {
		return err
	}
	if all, err = change(all); err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b storedMarketplace) int { return cmp.Compare(a.Name, b.Name) })
	data, err := json.Marshal(storedMarketplaces{Version: marketplacesVersion, Marketplaces: all}, jsontext.WithIndent("  "), json.FormatNilSliceAsNull(false))
	if err != nil {
		return fmt.Errorf("encoding the marketplaces: %w", err)
	}
	return fsx.WriteFile(filepath.Join(a.root(), marketplacesName), append(data, '\n'), lockFilePerms)
}
