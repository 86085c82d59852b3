package script

import (
	"context"
	"slices"
)

// Inspect bundles a module and returns the files that go into it and the
// capabilities that its header comment asks for. Nothing of the module is run. The
// error is a *LoadError when the module is at fault.
func Inspect(ctx context.Context, path string, o Options) (files []File, requests []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	if o.Cache == nil {
		o.Cache = NewCache("")
	}
	b, err := o.Cache.bundle(path, o)
	if err != nil {
		return nil, nil, err
	}
	return slices.Clone(b.files), slices.Clone(b.requests), nil
}
