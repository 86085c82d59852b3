package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// marketplaceFile lists plugins in a repository or a directory.
const marketplaceFile = ".claude-plugin/marketplace.json"

// Offer is a plugin that a marketplace lists.
type Offer struct {
	Marketplace string   `json:"marketplace"`
	Name        string   `json:"name"`
	Version     string   `json:"version,omitzero"`
	Description string   `json:"description,omitzero"`
	Category    string   `json:"category,omitzero"`
	Words       []string `json:"words,omitempty"` // keywords and tags

	entry listed
}

// String is how the offer is asked for: NAME@MARKETPLACE.
func (o Offer) String() string { return o.Name + "@" + o.Marketplace }

// catalog is what is read of a marketplace's file; there is more in it.
type catalog struct {
	Name     string `json:"name"`
	Metadata struct {
		PluginRoot string `json:"pluginRoot"`
	} `json:"metadata"`
	Plugins []listed `json:"plugins"`
}

// listed is a plugin of a catalog.
type listed struct {
	Name        string         `json:"name"`
	Source      jsontext.Value `json:"source"`
	Version     string         `json:"version"`
	Description string         `json:"description"`
	Category    string         `json:"category"`
	Keywords    []string       `json:"keywords"`
	Tags        []string       `json:"tags"`
	Hooks       jsontext.Value `json:"hooks"`
	Commands    jsontext.Value `json:"commands"`
	Agents      jsontext.Value `json:"agents"`
	Skills      jsontext.Value `json:"skills"`
}

// elsewhere is the source of a listed plugin that lies in a repository of its own.
type elsewhere struct {
	Source string `json:"source"`
	Repo   string `json:"repo"`
	URL    string `json:"url"`
	Path   string `json:"path"`
	Ref    string `json:"ref"`
	SHA    string `json:"sha"`
}

// parseCatalog reads a marketplace's file.
func parseCatalog(where string, data []byte) (catalog, error) {
	var c catalog
	if err := json.Unmarshal(data, &c); err != nil {
		d := jsonDiagnostic(where, data, err)
		return c, errors.New(d.String())
	}
	if n, err := ParseName(c.Name); err != nil || n.Org != "" {
		return c, fmt.Errorf("%s: the name of the marketplace, %q, must consist of letters, digits and . _ + ~ -", where, c.Name)
	}
	for _, p := range c.Plugins {
		if _, err := ParseName(c.Name + "/" + p.Name); err != nil {
			return c, fmt.Errorf("%s: %w", where, err)
		}
	}
	return c, nil
}

// offers are the plugins of a catalog.
func (c catalog) offers() []Offer {
	var out []Offer
	for _, p := range c.Plugins {
		words := slices.Concat(p.Keywords, p.Tags)
		out = append(out, Offer{Marketplace: c.Name, Name: p.Name, Version: p.Version, Description: p.Description, Category: p.Category, Words: words, entry: p})
	}
	return out
}

// sourceOf is where a listed plugin comes from, in a marketplace that lies somewhere.
func (c catalog) sourceOf(market Source, p listed) (Source, error) {
	fault := func(reason string) (Source, error) {
		return Source{}, &sourceError{Source: p.Name + "@" + c.Name, Reason: reason}
	}
	if parts := p.describes(); len(parts) > 0 {
		return fault("the marketplace itself says what its " + strings.Join(parts, ", ") + " are, which is not understood here; those of the plugin's own directory and plugin.json are")
	}
	name := Name{Org: c.Name, Repo: p.Name}
	switch p.Source.Kind() {
	case '"':
		var dir string
		if err := json.Unmarshal(p.Source, &dir); err != nil {
			return fault(err.Error())
		}
		return c.besideMarketplace(market, name, dir)
	case '{':
	default:
		return fault("the marketplace does not say where it is")
	}
	var e elsewhere
	if err := json.Unmarshal(p.Source, &e); err != nil {
		return fault(err.Error())
	}
	spec := e.URL
	switch e.Source {
	case "github":
		spec = e.Repo
	case "url", "git-subdir":
	default:
		return fault(fmt.Sprintf("it comes by %q; plugins come from git and from directories here", e.Source))
	}
	if spec != "" && isPath(spec) {
		return fault("its address is a path of some machine")
	}
	src, err := ParseSource(spec, SourceOptions{})
	if err != nil {
		return Source{}, err
	}
	if isFileURL(src) && market.Kind == GitSource && !isFileURL(market) {
		return fault("its address is a path of some machine")
	}
	for _, ref := range []string{e.Ref, e.SHA} { // the commit says more
		if ref != "" {
			src.Ref = ref
		}
	}
	if err := gitcmd.ValidateRef(src.Ref); err != nil {
		return Source{}, err
	}
	if e.Path != "" {
		if src, err = src.in(e.Path); err != nil {
			return Source{}, err
		}
	}
	src.Name = name
	return src, nil
}

// isFileURL reports whether a repository lies on this machine.
func isFileURL(s Source) bool {
	u, err := gitcmd.ParseURL(s.Address)
	return err == nil && u.Transport == gitcmd.File
}

// describes lists the parts that a marketplace describes in the place of the plugin.
func (p listed) describes() []string {
	var out []string
	for _, part := range []struct {
		name string
		v    jsontext.Value
	}{{"hooks", p.Hooks}, {"commands", p.Commands}, {"agents", p.Agents}, {"skills", p.Skills}} {
		if k := part.v.Kind(); k != 0 && k != 'n' {
			out = append(out, part.name)
		}
	}
	return out
}

// besideMarketplace is the source of a plugin in the repository, or below the directory, of its
// marketplace.
func (c catalog) besideMarketplace(market Source, name Name, dir string) (Source, error) {
	if !strings.HasPrefix(dir, "./") && c.Metadata.PluginRoot != "" {
		dir = path.Join(c.Metadata.PluginRoot, dir)
	}
	clean := strings.Trim(strings.TrimPrefix(dir, "./"), "/")
	if strings.HasPrefix(dir, "/") || clean != "" && nameFault(clean) != "" {
		return Source{}, &sourceError{Source: name.String(), Reason: fmt.Sprintf("its directory %q leads out of the marketplace", dir)}
	}
	src := market
	src.Name = name
	switch {
	case clean == "":
	case market.Kind == GitSource:
		src.Dir = path.Join(market.Dir, clean)
	default:
		src.Address = filepath.Join(market.Address, filepath.FromSlash(clean))
		if !staysInside(market.Address, src.Address) {
			return Source{}, &sourceError{Source: name.String(), Reason: fmt.Sprintf("its directory %q is not there or leads out of the marketplace", dir)}
		}
	}
	return src, nil
}

// readCatalog fetches the file of a marketplace. Nothing else of it is kept.
func (s *Store) readCatalog(ctx context.Context, src Source) (data []byte, commit string, err error) {
	if src.Kind == DirectorySource {
		data, err = frontmatter.ReadRegular(filepath.Join(src.Address, filepath.FromSlash(marketplaceFile)), maxConfig)
		return data, "", err
	}
	dir, err := os.MkdirTemp("", "plugin-")
	if err != nil {
		return nil, "", fmt.Errorf("making a temporary directory: %w", err)
	}
	defer removeAll(dir)
	u, err := gitcmd.ParseURL(src.Address)
	if err != nil {
		return nil, "", err
	}
	repo, err := s.client().Scratch(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	target, err := repo.Resolve(ctx, u, src.Ref)
	if err != nil {
		return nil, "", err
	}
	if commit, err = repo.Fetch(ctx, u, target); err != nil {
		return nil, "", err
	}
	var found gitcmd.TreeEntry
	err = repo.Tree(ctx, commit, func(g gitcmd.TreeEntry) error {
		if g.Path == path.Join(src.Dir, marketplaceFile) && g.Mode != gitcmd.Symlink && g.Mode != gitcmd.Submodule {
			found = g
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	if found.Object == "" || found.Size > maxConfig {
		return nil, "", &sourceError{Source: src.Address, Reason: "it is not a marketplace: it has no file " + marketplaceFile + ", or a very large one"}
	}
	var b bytes.Buffer
	err = repo.Blobs(ctx, func(read gitcmd.BlobReader) error { return read(found.Object, found.Size, io.Writer(&b)) })
	return b.Bytes(), commit, err
}
