package node

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// maxScrypt is the memory a derivation may take unless the module says
// otherwise, as in Node: 32 MiB.
const maxScrypt = 32 << 20

type scryptArgs struct {
	Password, Salt []byte
	N, R, P        int
	Length         int
	Maxmem         int64
}

func (p *Primitives) addScrypt(ops map[string]operation) {
	ops["node.crypto.scrypt"] = op(func(ctx context.Context, a scryptArgs) (any, error) {
		if err := checkDerived(a.Length); err != nil {
			return nil, err
		}
		limit := a.Maxmem
		if limit <= 0 {
			limit = maxScrypt
		}
		limit = min(limit, 8*maxScrypt)
		sane := a.N > 1 && a.N&(a.N-1) == 0 && a.R > 0 && a.P > 0 && a.R < 1<<20 && a.P < 1<<20 && a.N < 1<<30
		if !sane || 128*int64(a.N)*int64(a.R) > limit || 128*int64(a.P)*int64(a.R) > limit {
			return nil, &Error{Name: "RangeError", Code: "ERR_CRYPTO_INVALID_SCRYPT_PARAMS", Message: "Invalid scrypt params"}
		}
		return scrypt(ctx, a)
	})
}

// scrypt is RFC 7914.
func scrypt(ctx context.Context, a scryptArgs) ([]byte, error) {
	blocks, err := pbkdf2.Key(sha256.New, string(a.Password), a.Salt, 1, a.P*128*a.R)
	if err != nil {
		return nil, err
	}
	words := 32 * a.R
	x, tmp := make([]uint32, words), make([]uint32, words)
	v := make([]uint32, words*a.N)
	for i := range a.P {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		block := blocks[i*128*a.R:][:128*a.R]
		for j := range x {
			x[j] = binary.LittleEndian.Uint32(block[4*j:])
		}
		roMix(x, tmp, v, a.R, a.N)
		for j := range x {
			binary.LittleEndian.PutUint32(block[4*j:], x[j])
		}
	}
	return pbkdf2.Key(sha256.New, string(a.Password), blocks, 1, a.Length)
}

// roMix fills v with the states of x, then mixes them in by x's own bits.
func roMix(x, tmp, v []uint32, r, n int) {
	words := len(x)
	for i := range n {
		copy(v[i*words:], x)
		blockMix(x, tmp, r)
	}
	for range n {
		j := int(x[words-16]) & (n - 1)
		for k, w := range v[j*words : (j+1)*words] {
			x[k] ^= w
		}
		blockMix(x, tmp, r)
	}
}

// blockMix runs Salsa20/8 over the 64-byte blocks of b; the even results come
// first, then the odd ones.
func blockMix(b, tmp []uint32, r int) {
	var x [16]uint32
	copy(x[:], b[(2*r-1)*16:])
	for i := range 2 * r {
		for k := range x {
			x[k] ^= b[i*16+k]
		}
		salsa8(&x)
		copy(tmp[(i/2+i%2*r)*16:], x[:])
	}
	copy(b, tmp)
}

func salsa8(x *[16]uint32) {
	in := *x
	quarter := func(a, b, c, d int) {
		x[b] ^= bits.RotateLeft32(x[a]+x[d], 7)
		x[c] ^= bits.RotateLeft32(x[b]+x[a], 9)
		x[d] ^= bits.RotateLeft32(x[c]+x[b], 13)
		x[a] ^= bits.RotateLeft32(x[d]+x[c], 18)
	}
	for range 4 {
		quarter(0, 4, 8, 12)
		quarter(5, 9, 13, 1)
		quarter(10, 14, 2, 6)
		quarter(15, 3, 7, 11)
		quarter(0, 1, 2, 3)
		quarter(5, 6, 7, 4)
		quarter(10, 11, 8, 9)
		quarter(15, 12, 13, 14)
	}
	for k := range x {
		x[k] += in[k]
	}
}
