package worker

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// helloFile is where the hello of a worker of this content is kept: with it, the
// worker is started by its first call only, and its guards are there although it
// cannot be started. It is "" when nothing is kept.
func helloFile(k *dialect.Kit, kind, what, digest string) string {
	if k.Dirs.Cache == "" || digest == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(kind + "\x00" + what + "\x00" + digest))
	return filepath.Join(k.Dirs.Cache, "workers", hex.EncodeToString(sum[:]))
}

func readHello(path string) (h worker.Hello, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return h, false
	}
	return h, gob.NewDecoder(bytes.NewReader(b)).Decode(&h) == nil
}

// writeHello keeps a hello. It is only a cache: what cannot be written is asked for
// again.
func writeHello(path string, h worker.Hello) {
	var b bytes.Buffer
	if path == "" || gob.NewEncoder(&b).Encode(h) != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	_ = fsx.WriteFile(path, b.Bytes(), 0o600)
}
