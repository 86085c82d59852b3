package gitcmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Mode is the type of a tree entry.
type Mode string

// The modes git stores.
const (
	Regular    Mode = "100644"
	Executable Mode = "100755"
	Symlink    Mode = "120000"
	Submodule  Mode = "160000"
)

// TreeEntry is one file of a commit.
type TreeEntry struct {
	Path   string // as stored: not checked in any way
	Mode   Mode
	Object string // id for Blobs
	Size   int64  // bytes; 0 for a submodule
}

// Tree calls each for every file of a commit, in git's order. It stops at the
// first error of each and gives that back.
func (r *Repo) Tree(ctx context.Context, commit string, each func(TreeEntry) error) error {
	if !IsCommit(commit) {
		return &RefError{Ref: commit, Reason: "not a whole commit id"}
	}
	return r.stream(ctx, job{
		op:   "listing the files of " + commit,
		args: []string{"ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", commit},
	}, func(_ io.Writer, out *bufio.Reader) error {
		for {
			record, err := readRecord(out)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			entry, err := parseEntry(record)
			if err != nil {
				return err
			}
			if err := each(entry); err != nil {
				return err
			}
		}
	})
}

const maxRecord = 64 << 10

// readRecord reads up to the next NUL.
func readRecord(r *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := r.ReadSlice(0)
		b = append(b, part...)
		switch {
		case err == nil:
			return string(b[:len(b)-1]), nil
		case errors.Is(err, bufio.ErrBufferFull) && len(b) < maxRecord:
			continue
		case errors.Is(err, io.EOF) && len(b) == 0:
			return "", io.EOF
		case errors.Is(err, io.EOF):
			return "", io.ErrUnexpectedEOF
		case errors.Is(err, bufio.ErrBufferFull):
			return "", errors.New("a file name in the repository is longer than 64 KiB")
		}
		return "", err
	}
}

// parseEntry reads "mode type object size<TAB>path".
func parseEntry(record string) (TreeEntry, error) {
	meta, path, ok := strings.Cut(record, "\t")
	fields := strings.Fields(meta)
	if !ok || len(fields) != 4 {
		return TreeEntry{}, fmt.Errorf("git listed a file in a form not known here: %q", record)
	}
	e := TreeEntry{Path: path, Mode: Mode(fields[0]), Object: fields[2]}
	if fields[3] != "-" {
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			return TreeEntry{}, fmt.Errorf("git listed the size %q of %q", fields[3], path)
		}
		e.Size = size
	}
	switch e.Mode {
	case "100664": // written by very old versions of git
		e.Mode = Regular
	case Regular, Executable, Symlink, Submodule:
	default:
		return TreeEntry{}, fmt.Errorf("%q has the unknown mode %s", path, e.Mode)
	}
	return e, nil
}

// BlobReader copies the content of the object id, which must have exactly size
// bytes, to w.
type BlobReader func(id string, size int64, w io.Writer) error

// Blobs lets use read objects through one git process. The reader given to use
// must not be kept or used by two goroutines at once.
func (r *Repo) Blobs(ctx context.Context, use func(read BlobReader) error) error {
	return r.stream(ctx, job{
		op:   "reading the files",
		args: []string{"cat-file", "--batch"},
	}, func(in io.Writer, out *bufio.Reader) error {
		return use(func(id string, size int64, w io.Writer) error {
			return readBlob(in, out, id, size, w)
		})
	})
}

func readBlob(stdin io.Writer, out *bufio.Reader, id string, size int64, w io.Writer) error {
	if !IsCommit(id) { // objects and commits have the same form of id
		return fmt.Errorf("malformed object id %q", id)
	}
	if _, err := io.WriteString(stdin, id+"\n"); err != nil {
		return fmt.Errorf("asking git for an object: %w", err)
	}
	line, err := out.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("reading an object: %w", err)
	}
	if want := fmt.Appendf(nil, "%s blob %d\n", id, size); !bytes.Equal(line, want) {
		return fmt.Errorf("git answered %q instead of %q", bytes.TrimSpace(line), bytes.TrimSpace(want))
	}
	if _, err := io.CopyN(w, out, size); err != nil {
		return err
	}
	_, err = out.Discard(1)
	return err
}

// stream runs git and lets use talk to it: in is its standard input, out its
// output. An error of use ends git, and the end of the context ends use. The
// pipes are the system's own, with nobody copying in between who could wait for
// use while use waits for git.
func (r *Repo) stream(ctx context.Context, j job, use func(in io.Writer, out *bufio.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd, stderr, err := r.command(ctx, j)
	if err != nil {
		return err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return failure(ctx, j.op, err, stderr)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return failure(ctx, j.op, err, stderr)
	}
	if err := cmd.Start(); err != nil {
		return failure(ctx, j.op, err, stderr)
	}
	stop := context.AfterFunc(ctx, func() {
		in.Close()
		out.Close()
	})
	defer stop()
	useErr := use(in, bufio.NewReaderSize(out, 64<<10))
	outside := ctx.Err() // before our own cancel
	in.Close()
	if useErr != nil {
		cancel()
	}
	waitErr := cmd.Wait()
	switch {
	case outside != nil:
		return failure(ctx, j.op, waitErr, stderr)
	case useErr != nil && isExit(waitErr) && stderr.String() != "":
		return failure(context.Background(), j.op, waitErr, stderr)
	case useErr != nil:
		return useErr
	case waitErr != nil:
		return failure(ctx, j.op, waitErr, stderr)
	}
	return nil
}

// isExit reports whether git ended by itself with an error code, rather than
// by our kill.
func isExit(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() > 0
}
