package trust

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// version is that of the store's format. A program reads older versions and refuses
// newer ones.
const version = 2

// maxStore bounds the store's file, in bytes.
const maxStore = 64 << 20

// content is the store's file.
type content struct {
	Version   int        `json:"version"`
	Approvals []Approval `json:"approvals"`
	Refusals  []Refusal  `json:"refusals"`
}

func readAll(path string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxStore+1))
	if err != nil {
		return nil, fmt.Errorf("reading the trust store: %w", err)
	}
	if len(data) > maxStore {
		return nil, &corruptError{path, fmt.Errorf("it is larger than %d bytes", maxStore)}
	}
	return data, nil
}

// decode reads the store's file. Everything that is not exactly as it was written
// makes the whole file corrupt: half of an approval is none.
func decode(path string, data []byte) (*content, error) {
	var c content
	err := json.Unmarshal(data, &c, json.RejectUnknownMembers(true))
	if err != nil { // one of a newer version may have other members
		var head struct {
			Version int `json:"version"`
		}
		if herr := json.Unmarshal(data, &head); herr != nil {
			return nil, &corruptError{path, herr}
		}
		c.Version = head.Version
	}
	switch {
	case c.Version > version:
		return nil, &newerVersionError{path, c.Version}
	case c.Version < 1:
		return nil, &corruptError{path, errors.New("it has no version")}
	case err != nil:
		return nil, &corruptError{path, err}
	}
	for _, a := range c.Approvals {
		if !ValidDigest(a.Digest) || !filepath.IsAbs(a.Root) {
			return nil, &corruptError{path, fmt.Errorf("the approval of %q has no digest or no root", a.Name)}
		}
	}
	for _, r := range c.Refusals {
		if !ValidDigest(r.Digest) || !filepath.IsAbs(r.Root) {
			return nil, &corruptError{path, fmt.Errorf("the refusal of %q has no digest or no root", r.Name)}
		}
	}
	c.Version = version // it is written as one of today
	return &c, nil
}

func encode(c *content) ([]byte, error) {
	data, err := json.Marshal(c, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encoding the trust store: %w", err)
	}
	return append(data, '\n'), nil
}
