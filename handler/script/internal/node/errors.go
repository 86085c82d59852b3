package node

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Error is a failure in Node's shape. The JSON form has the members name,
// message, code, errno, syscall, path and dest, and permission and resource
// for a refusal; empty ones are left out.
type Error struct {
	// Name is the JavaScript class, "TypeError" for example; empty means Error.
	Name string `json:"name,omitempty"`
	// Message is the whole message, code and path included.
	Message string `json:"message"`
	// Code is Node's code: "ENOENT", "ERR_ACCESS_DENIED".
	Code string `json:"code,omitempty"`
	// Errno is the system's error number, negative as Node has it.
	Errno int `json:"errno,omitzero"`
	// Syscall is the call that failed, by Node's name for it.
	Syscall string `json:"syscall,omitempty"`
	// Path and Dest are the files involved, as the module named them.
	Path string `json:"path,omitempty"`
	Dest string `json:"dest,omitempty"`
	// Permission is the grant that is missing, as a hook would ask for it:
	// "read:/etc/hosts", "exec".
	Permission string `json:"permission,omitempty"`
	// Resource is what the refused operation was about.
	Resource string `json:"resource,omitempty"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// ErrorJSON returns the JSON object of any error, for the "e" member of a
// bridge answer.
func ErrorJSON(err error) []byte {
	data, jsonErr := encode(asError(err))
	if jsonErr != nil {
		return []byte(`{"message":"an error that has no JSON form"}`)
	}
	return data
}

// asError turns any error into an *Error.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Name: "TimeoutError", Code: "ETIMEDOUT", Message: "The operation timed out"}
	case errors.Is(err, context.Canceled):
		return &Error{Name: "AbortError", Code: "ABORT_ERR", Message: "The operation was aborted"}
	}
	return systemError(err, "", "", "")
}

// denied is the refusal of an operation for want of a grant.
func denied(permission, resource string) *Error {
	return &Error{
		Code: "ERR_ACCESS_DENIED", Permission: permission, Resource: resource,
		Message: "Access to this API has been restricted: the hook needs the grant \"" + permission + "\"",
	}
}

// systemError is the error of a system call in Node's words:
// "ENOENT: no such file or directory, open '/x'".
func systemError(err error, call, path, dest string) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	code := codeOf(err)
	e := &Error{Code: code, Errno: errnoOf(code), Syscall: call, Path: path, Dest: dest}
	text, known := messages[code]
	if !known {
		text = rootCause(err).Error()
	}
	var b strings.Builder
	if code != "" {
		b.WriteString(code + ": ")
	}
	b.WriteString(text)
	if call != "" {
		b.WriteString(", " + call)
	}
	if path != "" {
		b.WriteString(" '" + path + "'")
	}
	if dest != "" {
		b.WriteString(" -> '" + dest + "'")
	}
	e.Message = b.String()
	return e
}

// rootCause is the innermost error, without the path that the outer ones add.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// codeOf is Node's name of an error.
func codeOf(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		if name := errnoName(errno); name != "" {
			return name
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "ENOENT"
	case errors.Is(err, fs.ErrExist):
		return "EEXIST"
	case errors.Is(err, fs.ErrPermission):
		return "EACCES"
	case errors.Is(err, fs.ErrInvalid):
		return "EINVAL"
	case errors.Is(err, os.ErrClosed):
		return "EBADF"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "ETIMEDOUT"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "EIO"
	}
	return ""
}

func newErrno(code, call, path string) *Error {
	return &Error{
		Code: code, Errno: errnoOf(code), Syscall: call, Path: path,
		Message: systemMessage(code, call, path),
	}
}

func systemMessage(code, call, path string) string {
	text := code + ": " + messages[code] + ", " + call
	if path != "" {
		text += " '" + path + "'"
	}
	return text
}

// messages are the texts of the codes.
var messages = map[string]string{
	"E2BIG": "argument list too long", "EACCES": "permission denied", "EAGAIN": "resource temporarily unavailable",
	"EBADF": "bad file descriptor", "EBUSY": "resource busy or locked", "ECANCELED": "operation canceled",
	"ECHILD": "no child processes", "ECONNREFUSED": "connection refused", "ECONNRESET": "connection reset by peer",
	"EEXIST": "file already exists", "EFBIG": "file too large", "EHOSTUNREACH": "host is unreachable",
	"EINTR": "interrupted system call", "EINVAL": "invalid argument", "EIO": "i/o error",
	"EISDIR": "illegal operation on a directory", "ELOOP": "too many symbolic links encountered",
	"EMFILE": "too many open files", "ENAMETOOLONG": "name too long", "ENETUNREACH": "network is unreachable",
	"ENFILE": "file table overflow", "ENOBUFS": "no buffer space available", "ENODEV": "no such device",
	"ENOENT": "no such file or directory", "ENOEXEC": "exec format error", "ENOMEM": "not enough memory",
	"ENOSPC": "no space left on device", "ENOSYS": "function not implemented", "ENOTDIR": "not a directory",
	"ENOTEMPTY": "directory not empty", "ENOTSUP": "operation not supported on socket", "ENXIO": "no such device or address",
	"EPERM": "operation not permitted", "EPIPE": "broken pipe", "EROFS": "read-only file system",
	"ESPIPE": "invalid seek", "ESRCH": "no such process", "ETIMEDOUT": "connection timed out",
	"ETXTBSY": "text file is busy", "EXDEV": "cross-device link not permitted",
}
