package node

import (
	"context"
	"encoding/binary"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

func (p *Primitives) addProcessOps(ops map[string]operation) {
	start := time.Now()
	ops["node.process.info"] = op(p.processInfo)
	ops["node.process.hrtime"] = op(func(context.Context, struct{}) (any, error) {
		// A nanosecond count outgrows a JavaScript number.
		return strconv.FormatInt(int64(time.Since(start))+hrtimeBase, 10), nil
	})
	ops["node.process.memory"] = op(func(context.Context, struct{}) (any, error) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return map[string]uint64{
			"rss": m.Sys, "heapTotal": m.HeapSys, "heapUsed": m.HeapAlloc, "external": 0, "arrayBuffers": 0,
		}, nil
	})
	ops["node.process.chdir"] = op(p.chdir)
	ops["node.os.platform"] = op(func(context.Context, struct{}) (any, error) { return platform(), nil })
	ops["node.os.info"] = op(p.osInfo)
	ops["node.os.errnos"] = op(func(context.Context, struct{}) (any, error) {
		type entry struct {
			Errno   int    `json:"errno"`
			Message string `json:"message"`
		}
		table, numbers := map[string]entry{}, errnoTable()
		for code, message := range messages {
			if n := numbers[code]; n != 0 {
				table[code] = entry{-n, message}
			}
		}
		return table, nil
	})
}

// hrtimeBase keeps the count from starting at zero, which looks like unset.
const hrtimeBase = int64(time.Hour)

func (p *Primitives) processInfo(context.Context, struct{}) (any, error) {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	p.mu.Lock()
	cwd := p.cwd
	p.mu.Unlock()
	return map[string]any{
		"pid": os.Getpid(), "ppid": os.Getppid(), "cwd": cwd, "env": p.env, "execPath": exe, "script": p.opts.Script,
		"platform": platform(), "arch": arch(), "uid": os.Getuid(), "gid": os.Getgid(),
	}, nil
}

func (p *Primitives) chdir(_ context.Context, a pathArgs) (any, error) {
	abs := p.abs(a.Path)
	info, err := p.stat(abs, access{call: "chdir", follow: true})
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, newErrno("ENOTDIR", "chdir", a.Path)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cwd = abs
	return abs, nil
}

// platform and arch are Node's names.
func platform() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}

func arch() string {
	switch runtime.GOARCH {
	case "amd64":
		return "x64"
	case "386":
		return "ia32"
	}
	return runtime.GOARCH
}

func (p *Primitives) osInfo(context.Context, struct{}) (any, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	machine := machineInfo()
	if machine.freemem == 0 {
		machine.freemem = machine.totalmem / 2
	}
	cpus := make([]map[string]any, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = map[string]any{"model": machine.cpu, "speed": 0}
	}
	return map[string]any{
		"platform": platform(), "arch": arch(), "hostname": host, "homedir": home, "tmpdir": os.TempDir(),
		"type": machine.sysname, "release": machine.release, "version": machine.version, "machine": machine.machine,
		"endianness": endianness(), "cpus": cpus, "totalmem": machine.totalmem, "freemem": machine.freemem,
		"uptime": machine.uptime, "loadavg": machine.loadavg, "user": p.userInfo(home), "signals": Signals(),
	}, nil
}

func (p *Primitives) userInfo(home string) map[string]any {
	info := map[string]any{"uid": os.Getuid(), "gid": os.Getgid(), "username": "", "homedir": home, "shell": nil}
	if u, err := user.Current(); err == nil {
		info["username"], info["homedir"] = u.Username, u.HomeDir
	} else if name := p.env["USER"]; name != "" {
		info["username"] = name
	}
	if shell := p.env["SHELL"]; shell != "" {
		info["shell"] = shell
	}
	return info
}

func endianness() string {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return "LE"
	}
	return "BE"
}

// machine is what only the system knows.
type machine struct {
	sysname, release, version, machine, cpu string
	totalmem, freemem                       uint64
	uptime                                  float64
	loadavg                                 [3]float64
}
