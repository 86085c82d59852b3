package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// FirstDir returns the first of dirs that is a directory one can work in, and
// its index: a caller that had to fall back sees it and can say so. Empty names
// are passed over. The error names each candidate and what is wrong with it.
func FirstDir(dirs ...string) (string, int, error) {
	var errs []error
	for i, dir := range dirs {
		if dir == "" {
			continue
		}
		info, err := os.Stat(dir)
		switch {
		case err != nil:
			err = plain(err)
		case !info.IsDir():
			err = syscall.ENOTDIR
		case !enterable(dir):
			err = os.ErrPermission
		default:
			return dir, i, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", strconv.Quote(dir), err))
	}
	if errs == nil {
		return "", -1, errors.New("no working directory was named")
	}
	return "", -1, fmt.Errorf("no usable working directory: %w", errors.Join(errs...))
}
