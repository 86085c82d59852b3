package script

import (
	"time"

	"github.com/hookline-dev/hookline/handler/script/internal/vm"
)

// Family says which of the two projects a module was written for. They differ
// in the order of a few callback arguments.
type Family string

// The families. FamilyAuto looks at the module's imports, then at its folder.
const (
	FamilyAuto Family = ""
	FamilyOMP  Family = "omp"
	FamilyPi   Family = "pi"
)

// Kind says which of the two module interfaces a module was written for.
type Kind string

// The kinds. KindAuto looks at the module's text, then at its folder.
const (
	KindAuto      Kind = ""
	KindHook      Kind = "hook"
	KindExtension Kind = "extension"
)

// Grants is what a module may do. It is enforced on the Go side of every call
// that JavaScript makes; the zero value lets a module compute and nothing else.
type Grants struct {
	// All grants everything below except the limits.
	All bool
	// UI lets the module ask and show things to the person.
	UI bool
	// Exec lets it start programs.
	Exec bool
	// NetHosts are the hosts it may connect to, as package node has them:
	// "api.example.com", "*.example.com", "localhost:8080", "*".
	NetHosts []string
	// ReadRoots and WriteRoots are files and directories that it may read and
	// write; a directory includes all below it. Writing does not include
	// reading. "*" is all files.
	ReadRoots, WriteRoots []string
	// Env names the environment variables it may see besides the harmless
	// ones; a name may end in "*".
	Env []string
	// CPUSlice is how long JavaScript may run without returning to the event
	// loop, waiting not counted (default one second). A module that runs
	// longer is ended and loaded again for the next event.
	CPUSlice time.Duration
	// Memory bounds the module's heap, in bytes (default 64 MiB).
	Memory int64
}

// GrantAll returns the grants of a module that the person wrote or installed
// for herself.
func GrantAll() Grants { return Grants{All: true} }

// Defaults of Grants and Options.
const (
	defaultSlice       = time.Second
	defaultMemory      = vm.DefaultMemory
	defaultLoadTimeout = 30 * time.Second
	DefaultMaxSource   = 8 << 20
	defaultMaxResult   = 32 << 20
)

// loadSlices is how many CPU slices a module gets for each run of JavaScript
// until it is loaded: compiling a large bundle is one run.
const loadSlices = 5

// Options says how a module is loaded. The zero value is a module with no
// grants, no host and a private cache in memory.
type Options struct {
	// Cwd is the session's working directory: process.cwd(), ctx.cwd without a
	// session, and where exec runs programs. Empty means the process's own.
	Cwd string
	// Env is the environment the module may see a part of (see Grants.Env), as
	// os.Environ returns it; nil means the process's own.
	Env []string
	// Family and Kind override what the module's text says.
	Family Family
	Kind   Kind
	// Host answers what the module asks of the agent around it; nil is a host
	// with no person and no session.
	Host Host
	// Grants is what the module may do.
	Grants Grants
	// Cache keeps bundles and bytecode; nil is a private one in memory.
	Cache *Cache
	// Approve is asked about the files that went into the module, right before
	// anything of it is run, and about exactly the bytes that then run. An error
	// keeps the module from being loaded. Nil approves.
	Approve func(files []File) error
	// OnReport is told about everything that no call returns: unhandled
	// rejections, errors in timers, a module that was ended, what it prints.
	// It must not block and not call the module; nil drops the reports.
	OnReport func(Report)
	// LoadTimeout bounds Load (default 30 seconds).
	LoadTimeout time.Duration
	// MaxSource bounds one source file, in bytes (default DefaultMaxSource).
	MaxSource int64
	// MaxResult bounds what a handler may return, in bytes of JSON (default
	// 32 MiB).
	MaxResult int
	// Flags are the values of command-line flags that modules register.
	Flags map[string]string
	// Node runs modules that ask for the Node runtime; nil refuses them.
	Node *Node
	// Speech translates what the module and its host say to each other; nil leaves it
	// as it is.
	Speech Speech
	// Bus connects the module's event bus with those of others; nil does not.
	Bus *Bus
}

func (o Options) speech() Speech {
	if o.Speech == nil {
		return plainSpeech{}
	}
	return o.Speech
}

func (o Options) slice() time.Duration {
	if o.Grants.CPUSlice > 0 {
		return o.Grants.CPUSlice
	}
	return defaultSlice
}

func (o Options) memory() int64 {
	if o.Grants.Memory > 0 {
		return o.Grants.Memory
	}
	return defaultMemory
}

func (o Options) loadTimeout() time.Duration {
	if o.LoadTimeout > 0 {
		return o.LoadTimeout
	}
	return defaultLoadTimeout
}

func (o Options) maxSource() int64 {
	if o.MaxSource > 0 {
		return o.MaxSource
	}
	return DefaultMaxSource
}

func (o Options) maxResult() int {
	if o.MaxResult > 0 {
		return o.MaxResult
	}
	return defaultMaxResult
}
