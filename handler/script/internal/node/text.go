package node

import (
	"context"
	"unicode/utf8"
)

// addTextOps adds the conversions that are too slow for long text in script.
func (p *Primitives) addTextOps(ops map[string]operation) {
	ops["node.text.encode"] = op(func(_ context.Context, a struct{ Text string }) (any, error) {
		return []byte(a.Text), nil // lone surrogates are U+FFFD by now
	})
	// Null stands for bytes that are not UTF-8: where the replacement
	// characters go is for the script to say.
	ops["node.text.decode"] = op(func(_ context.Context, a struct{ Data []byte }) (any, error) {
		if !utf8.Valid(a.Data) {
			return nil, nil
		}
		return string(a.Data), nil
	})
}
