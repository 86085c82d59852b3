package trust

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// sharedVersion is that of the format of files of shared approvals.
const sharedVersion = 1

// Shared is an approval that a team keeps with its project, for whatever machine the project
// is checked out on.
type Shared struct {
	Name    string `json:"name"`
	Dialect string `json:"dialect"`
	Source  string `json:"source"`
	Digest  string `json:"digest"`
}

// sharedFile is a file of shared approvals.
type sharedFile struct {
	Version int `json:"version"`
	// Rules are those by which the files of the hooks were found.
	Rules    int      `json:"rules"`
	Approved []Shared `json:"approved"`
}

// ShareOf is what a file of shared approvals says of an artifact in a state. Its digest covers
// what that of the state does, save that of modes only what git keeps counts: others depend on
// the umask of who checked the project out.
func ShareOf(a Artifact, st State) Shared {
	st.Files = slices.Clone(st.Files)
	for i := range st.Files {
		st.Files[i].Mode = gitMode(st.Files[i].Mode)
	}
	return Shared{Name: a.Name, Dialect: a.Dialect, Source: st.Source, Digest: digestOf(a, st)}
}

// gitMode is the mode that a checkout with the usual umask has, "" for a file that is not there.
// Bits that give more rights than who runs the file has stay.
func gitMode(text string) string {
	mode, err := strconv.ParseUint(text, 8, 32)
	if err != nil {
		return text
	}
	bits := mode&0o7000 | 0o644
	if mode&0o100 != 0 {
		bits |= 0o111
	}
	return fmt.Sprintf("%04o", bits)
}

// EncodeShared writes a file of shared approvals, sorted, so that two of them can be compared.
func EncodeShared(approved []Shared) ([]byte, error) {
	approved = slices.Clone(approved)
	slices.SortFunc(approved, func(a, b Shared) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Digest, b.Digest))
	})
	data, err := json.Marshal(sharedFile{Version: sharedVersion, Rules: Rules, Approved: approved}, jsontext.WithIndent("  "), json.FormatNilSliceAsNull(false))
	if err != nil {
		return nil, fmt.Errorf("encoding approvals: %w", err)
	}
	return append(data, '\n'), nil
}

// DecodeShared reads a file of shared approvals. One that was written by other rules than those
// of today is an error: its digests would stand for other files.
func DecodeShared(data []byte) ([]Shared, error) {
	var head struct {
		Version int `json:"version"`
		Rules   int `json:"rules"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("reading approvals: %w", err)
	}
	if head.Version != sharedVersion || head.Rules != Rules {
		return nil, fmt.Errorf("the approvals have version %d and rules %d, this program knows version %d and rules %d: export them anew with the program that imports them", head.Version, head.Rules, sharedVersion, Rules)
	}
	var f sharedFile
	if err := json.Unmarshal(data, &f, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("reading approvals: %w", err)
	}
	for _, s := range f.Approved {
		if !ValidDigest(s.Digest) {
			return nil, fmt.Errorf("the approval of %q has no digest", s.Name)
		}
	}
	return f.Approved, nil
}
