package script

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutineID returns the number that the runtime prints for the calling
// goroutine. It serves one purpose: to tell a caller that waits for a
// goroutine from that goroutine itself, where Go would wait for ever.
func goroutineID() int64 {
	var buf [64]byte
	head := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	if end := bytes.IndexByte(head, ' '); end > 0 {
		head = head[:end]
	}
	id, err := strconv.ParseInt(string(head), 10, 64)
	if err != nil {
		return -1
	}
	return id
}
