package report

import (
	"errors"

	"github.com/hookline-dev/hookline/hook"
)

func kindOf(err error) hook.FailureKind {
	if f, ok := errors.AsType[*hook.Failure](err); ok {
		return f.Kind
	}
	return hook.FailureError
}
