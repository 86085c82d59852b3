package node

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"math/big"

	"github.com/google/uuid"
)

// maxDerived bounds keys and random values, in bytes.
const maxDerived = 64 << 20

func (p *Primitives) addCryptoOps(ops map[string]operation) {
	ops["node.crypto.hash"] = op(func(_ context.Context, a struct {
		Algorithm string
		Data      []byte
	},
	) (any, error) {
		newHash, err := hashOf(a.Algorithm)
		if err != nil {
			return nil, err
		}
		h := newHash()
		h.Write(a.Data)
		return []byte(h.Sum(nil)), nil
	})
	ops["node.crypto.hmac"] = op(func(_ context.Context, a struct {
		Algorithm string
		Key, Data []byte
	},
	) (any, error) {
		newHash, err := hashOf(a.Algorithm)
		if err != nil {
			return nil, err
		}
		h := hmac.New(newHash, a.Key)
		h.Write(a.Data)
		return []byte(h.Sum(nil)), nil
	})
	ops["node.crypto.random"] = op(func(_ context.Context, a struct{ Size int }) (any, error) {
		if err := checkDerived(a.Size); err != nil {
			return nil, err
		}
		buf := make([]byte, a.Size)
		_, err := rand.Read(buf)
		return buf, err
	})
	ops["node.crypto.randomInt"] = op(func(_ context.Context, a struct{ Below int64 }) (any, error) {
		if a.Below <= 0 {
			return nil, &Error{Name: "RangeError", Code: "ERR_OUT_OF_RANGE", Message: "the range is empty"}
		}
		n, err := rand.Int(rand.Reader, big.NewInt(a.Below))
		if err != nil {
			return nil, err
		}
		return n.Int64(), nil
	})
	ops["node.crypto.uuid"] = op(func(context.Context, struct{}) (any, error) {
		id, err := uuid.NewRandom()
		return id.String(), err
	})
	ops["node.crypto.pbkdf2"] = op(func(_ context.Context, a struct {
		Algorithm          string
		Password, Salt     []byte
		Iterations, Length int
	},
	) (any, error) {
		newHash, err := hashOf(a.Algorithm)
		if err != nil {
			return nil, err
		}
		if err := checkDerived(a.Length); err != nil {
			return nil, err
		}
		if a.Iterations < 1 {
			return nil, &Error{Name: "RangeError", Code: "ERR_OUT_OF_RANGE", Message: "iterations must be at least 1"}
		}
		key, err := pbkdf2.Key(newHash, string(a.Password), a.Salt, a.Iterations, a.Length)
		return []byte(key), err
	})
	ops["node.crypto.hkdf"] = op(func(_ context.Context, a struct {
		Algorithm       string
		Key, Salt, Info []byte
		Length          int
	},
	) (any, error) {
		newHash, err := hashOf(a.Algorithm)
		if err != nil {
			return nil, err
		}
		if err := checkDerived(a.Length); err != nil {
			return nil, err
		}
		key, err := hkdf.Key(newHash, a.Key, a.Salt, string(a.Info), a.Length)
		if err != nil {
			return nil, &Error{Name: "RangeError", Code: "ERR_CRYPTO_INVALID_KEYLEN", Message: "Invalid key length"}
		}
		return []byte(key), nil
	})
}

func checkDerived(n int) error {
	if n < 0 || n > maxDerived {
		return &Error{Name: "RangeError", Code: "ERR_OUT_OF_RANGE", Message: "the length is out of range"}
	}
	return nil
}

func hashOf(name string) (func() hash.Hash, error) {
	switch name {
	case "md5":
		return md5.New, nil
	case "sha1":
		return sha1.New, nil
	case "sha224":
		return sha256.New224, nil
	case "sha256":
		return sha256.New, nil
	case "sha384":
		return sha512.New384, nil
	case "sha512":
		return sha512.New, nil
	case "sha512-256":
		return sha512.New512_256, nil
	}
	return nil, &Error{Code: "ERR_CRYPTO_INVALID_DIGEST", Message: "Digest method not supported: " + name}
}
