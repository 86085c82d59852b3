package node

import (
	"context"

	"golang.org/x/crypto/scrypt"
)

// maxScrypt is the memory a derivation may take unless the module says
// otherwise, as in Node: 32 MiB.
const maxScrypt = 32 << 20

// maxScryptWork bounds N·r·p, as a derivation can't be interrupted: some seconds.
const maxScryptWork = 1 << 24

type scryptArgs struct {
	Password, Salt []byte
	N, R, P        int
	Length         int
	Maxmem         int64
}

func (p *Primitives) addScrypt(ops map[string]operation) {
	ops["node.crypto.scrypt"] = op(func(_ context.Context, a scryptArgs) (any, error) {
		if err := checkDerived(a.Length); err != nil {
			return nil, err
		}
		limit := a.Maxmem
		if limit <= 0 {
			limit = maxScrypt
		}
		limit = min(limit, 8*maxScrypt)
		sane := a.N > 1 && a.N&(a.N-1) == 0 && a.R > 0 && a.P > 0 && a.R < 1<<20 && a.P < 1<<20 && a.N < 1<<30
		if !sane || 128*int64(a.N)*int64(a.R) > limit || 128*int64(a.P)*int64(a.R) > limit || int64(a.N)*int64(a.R) > maxScryptWork/int64(a.P) {
			return nil, &Error{Name: "RangeError", Code: "ERR_CRYPTO_INVALID_SCRYPT_PARAMS", Message: "Invalid scrypt params"}
		}
		return scrypt.Key(a.Password, a.Salt, a.N, a.R, a.P, a.Length)
	})
}
