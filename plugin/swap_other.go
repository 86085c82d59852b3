//go:build !linux && !darwin

package plugin

import "errors"

// exchange cannot be done in one step here.
func exchange(_, _ string) error { return errors.ErrUnsupported }
