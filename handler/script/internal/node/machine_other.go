//go:build !linux && !darwin && !windows

package node

import "runtime"

func machineInfo() machine { return machine{sysname: runtime.GOOS, machine: arch()} }
