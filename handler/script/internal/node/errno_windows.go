package node

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// errnoName names the errors of Windows as libuv does.
func errnoName(errno syscall.Errno) string {
	switch errno {
	case windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND, windows.ERROR_INVALID_NAME, windows.ERROR_BAD_PATHNAME:
		return "ENOENT"
	case windows.ERROR_ACCESS_DENIED, windows.ERROR_PRIVILEGE_NOT_HELD:
		return "EPERM"
	case windows.ERROR_ALREADY_EXISTS, windows.ERROR_FILE_EXISTS:
		return "EEXIST"
	case windows.ERROR_DIR_NOT_EMPTY:
		return "ENOTEMPTY"
	case windows.ERROR_DIRECTORY:
		return "ENOTDIR"
	case windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION:
		return "EBUSY"
	case windows.ERROR_INVALID_HANDLE:
		return "EBADF"
	case windows.ERROR_NOT_SAME_DEVICE:
		return "EXDEV"
	case windows.ERROR_DISK_FULL:
		return "ENOSPC"
	case windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA:
		return "EPIPE"
	case windows.ERROR_INVALID_PARAMETER, windows.ERROR_NOT_A_REPARSE_POINT:
		return "EINVAL"
	case windows.WSAECONNREFUSED:
		return "ECONNREFUSED"
	case windows.WSAECONNRESET:
		return "ECONNRESET"
	case windows.WSAETIMEDOUT:
		return "ETIMEDOUT"
	case syscall.EISDIR:
		return "EISDIR"
	}
	return ""
}

// windowsErrnos are libuv's numbers for systems without their own.
var windowsErrnos = map[string]int{
	"E2BIG": -4093, "EACCES": -4092, "EAGAIN": -4088, "EBADF": -4083, "EBUSY": -4082, "ECANCELED": -4081,
	"ECONNREFUSED": -4078, "ECONNRESET": -4077, "EEXIST": -4075, "EFBIG": -4036, "EHOSTUNREACH": -4073,
	"EINTR": -4072, "EINVAL": -4071, "EIO": -4070, "EISDIR": -4068, "ELOOP": -4067, "EMFILE": -4066,
	"ENAMETOOLONG": -4064, "ENETUNREACH": -4062, "ENFILE": -4061, "ENOBUFS": -4060, "ENODEV": -4059,
	"ENOENT": -4058, "ENOMEM": -4057, "ENOSPC": -4055, "ENOSYS": -4054, "ENOTDIR": -4052, "ENOTEMPTY": -4051,
	"ENOTSUP": -4049, "ENXIO": -4033, "EPERM": -4048, "EPIPE": -4047, "EROFS": -4043, "ESPIPE": -4041,
	"ESRCH": -4040, "ETIMEDOUT": -4039, "ETXTBSY": -4038, "EXDEV": -4037,
}

func errnoTable() map[string]int { return windowsErrnos }

func errnoOf(code string) int { return windowsErrnos[code] }
