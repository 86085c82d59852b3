package toolrule

import (
	"errors"
	"syscall"
)

// isNotDir reports that a path leads through something that isn't a directory.
func isNotDir(err error) bool { return errors.Is(err, syscall.ERROR_PATH_NOT_FOUND) }
