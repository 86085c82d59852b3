package permission

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxGitIndex bounds how much of an index is read, in bytes.
const maxGitIndex = 256 << 20

var errGitIndex = errors.New("not an index that is read here")

// indexes remembers the submodules of indexes that didn't change. It is safe for
// concurrent use.
type indexes struct {
	mu    sync.Mutex
	known map[string]knownIndex
}

// maxIndexes bounds how many indexes are remembered.
const maxIndexes = 128

// knownIndex is what an index held when it was this file. Git writes an index anew
// under another name and renames it.
type knownIndex struct {
	info  os.FileInfo
	hash  int
	links []string
}

// links lists the submodules of an index; one that isn't there has none.
func (x *indexes) links(file string, hash int) ([]string, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil || !info.Mode().IsRegular() || info.Size() > maxGitIndex:
		return nil, errGitIndex
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	k, ok := x.known[file]
	if ok && k.hash == hash && os.SameFile(k.info, info) && k.info.Size() == info.Size() && k.info.ModTime().Equal(info.ModTime()) {
		return k.links, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	links, err := parseGitIndex(data, hash)
	if err != nil {
		return nil, err
	}
	if x.known == nil || len(x.known) >= maxIndexes {
		x.known = map[string]knownIndex{}
	}
	// A file that was written just now may be written again in the same tick.
	if delete(x.known, file); time.Since(info.ModTime()) > time.Second {
		x.known[file] = knownIndex{info, hash, links}
	}
	return links, nil
}

// gitlinks lists the submodules in the index of a repository, as paths below its work
// tree. git status and git diff run git in each of them that is checked out.
func (x *indexes) gitlinks(gitDir string, hash int) ([]string, error) {
	files := []string{filepath.Join(gitDir, "index")}
	entries, err := os.ReadDir(gitDir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "sharedindex.") { // of a split index
			files = append(files, filepath.Join(gitDir, entry.Name()))
		}
	}
	var out []string
	for _, file := range files {
		links, err := x.links(file, hash)
		if err != nil {
			return nil, err
		}
		out = append(out, links...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// parseGitIndex returns the paths of the submodules in an index of the versions 2 to 4,
// as gitformat-index(5) describes it; hash is the length of an object's name in bytes.
func parseGitIndex(data []byte, hash int) ([]string, error) {
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		return nil, errGitIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, errGitIndex
	}
	const modeAt, typeMask, gitlink, extended = 24, 0o170000, 0o160000, 0x4000
	var out []string
	var name []byte
	rest := data[12:]
	for range count {
		fixed := 40 + hash + 2
		if len(rest) < fixed {
			return nil, errGitIndex
		}
		if version > 2 && binary.BigEndian.Uint16(rest[fixed-2:])&extended != 0 {
			fixed += 2
		}
		if len(rest) < fixed {
			return nil, errGitIndex
		}
		mode, entry := binary.BigEndian.Uint32(rest[modeAt:]), rest
		rest = rest[fixed:]
		keep := 0
		if version == 4 {
			cut, n := offsetVarint(rest)
			if n == 0 || cut > len(name) {
				return nil, errGitIndex
			}
			keep, rest = len(name)-cut, rest[n:]
		}
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			return nil, errGitIndex
		}
		name, rest = append(name[:keep], rest[:end]...), rest[end+1:]
		if version < 4 { // entries are padded to a multiple of eight bytes
			size := len(entry) - len(rest)
			pad := (8 - size%8) % 8
			if len(rest) < pad {
				return nil, errGitIndex
			}
			rest = rest[pad:]
		}
		if mode&typeMask == gitlink {
			if len(name) == 0 {
				return nil, errGitIndex
			}
			out = append(out, string(name))
		}
	}
	return out, nil
}

// offsetVarint reads a number in the coding that git uses for the offsets in packs, and
// returns how many bytes it took; none is a fault.
func offsetVarint(data []byte) (value, n int) {
	for n < len(data) && n < 5 {
		b := data[n]
		n++
		value = value<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}
