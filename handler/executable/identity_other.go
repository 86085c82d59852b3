//go:build !linux && !darwin

package executable

import "os"

func identify(info os.FileInfo) identity {
	return identity{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
}
