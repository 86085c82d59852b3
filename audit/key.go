package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// keySize is the size of a key, in bytes.
const keySize = sha256.Size

// key signs heads. The zero key is that of a log which has none.
type key struct {
	secret []byte
	id     string
	// unused says that nothing need be signed with it yet.
	unused bool
}

func newKey(secret []byte) key {
	sum := sha256.Sum256(append([]byte("hookline audit key "), secret...))
	return key{secret: secret, id: hex.EncodeToString(sum[:8])}
}

func (k key) sign(body []byte) string {
	mac := hmac.New(sha256.New, k.secret)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// pendingKey is where a key lies until a head is signed with it. Once it has its name,
// a log without a signed head is one whose head was taken away.
func pendingKey(path string) string { return path + ".new" }

// readKey reads a log's key. Where there is none the key is unused and without a secret.
func readKey(path string) (key, error) {
	for _, unused := range []bool{false, true} {
		name := path
		if unused {
			name = pendingKey(path)
		}
		secret, err := readSecret(name)
		switch {
		case err == nil:
			k := newKey(secret)
			k.unused = unused
			return k, nil
		case errors.Is(err, fs.ErrNotExist), unused && errors.Is(err, errNoKey):
		default:
			return key{}, err
		}
	}
	return key{unused: true}, nil
}

var errNoKey = errors.New("it is not a key")

func readSecret(path string) ([]byte, error) {
	file, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 4*keySize))
	if err != nil {
		return nil, fmt.Errorf("reading the key of the audit log: %w", err)
	}
	secret, err := hex.DecodeString(string(bytes.TrimSuffix(text, []byte("\n"))))
	if err != nil || len(secret) != keySize {
		return nil, fmt.Errorf("reading the key of the audit log %s: %w", path, errNoKey)
	}
	return secret, nil
}

// makeKey reads a log's key, or makes one.
func makeKey(path string) (key, error) {
	k, err := readKey(path)
	if err != nil || k.secret != nil {
		return k, err
	}
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // never fails
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return key{}, fmt.Errorf("making the directory of the audit log's key: %w", err)
	}
	// One that is there was not written to its end, and nothing is signed with it.
	if err := os.Remove(pendingKey(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return key{}, fmt.Errorf("making the key of the audit log: %w", err)
	}
	file, err := os.OpenFile(pendingKey(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return key{}, fmt.Errorf("making the key of the audit log: %w", err)
	}
	_, err = file.WriteString(hex.EncodeToString(secret) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return key{}, fmt.Errorf("making the key of the audit log: %w", err)
	}
	k = newKey(secret)
	k.unused = true
	return k, nil
}

// used gives a key its name: something is signed with it.
func (k *key) used(path string) error {
	if !k.unused {
		return nil
	}
	if err := os.Rename(pendingKey(path), path); err != nil {
		return fmt.Errorf("making the key of the audit log: %w", err)
	}
	k.unused = false
	return nil
}
