package vm

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"modernc.org/quickjs"
)

// codeVersion goes into the key of stored bytecode: it names the engine and
// the layout of the programs.
const codeVersion = "quickjs-1/"

// CodeVersion identifies the bytecode that Compile makes. Bytecode of another
// version must not be given to Eval.
func CodeVersion() string { return codeVersion + quickjs.Version() }

type engine struct {
	vm      *quickjs.VM
	tracker *tracker
	fns     map[string]quickjs.Value
	memory  int64

	mu     sync.Mutex // orders Interrupt against Close
	closed bool
	asked  int // Interrupts since the last Resume
	starve func()
}

// New starts an engine and runs the runtime script in it. Call it on the
// goroutine that will own the engine.
func New(cfg Config) (Engine, error) {
	e, err := start(cfg)
	if err != nil {
		return nil, err
	}
	if err := e.boot(cfg); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func start(cfg Config) (*engine, error) {
	m, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("starting the script engine: %w", err)
	}
	e := &engine{vm: m, fns: map[string]quickjs.Value{}, memory: cfg.Memory}
	if e.memory <= 0 {
		e.memory = DefaultMemory
	}
	m.SetMemoryLimit(uintptr(e.memory))
	m.SetCanBlock(false)
	m.SetModuleLoader(refuseModule, nil)
	if h, ok := handlesOf(m); ok {
		e.starve = h.starve
	}
	return e, nil
}

// refuseModule answers import() calls that the bundler could not resolve.
func refuseModule(_ *quickjs.VM, name string) (string, error) {
	return "", fmt.Errorf("import(%q) at run time is not supported; import it with a literal name", name)
}

func (e *engine) boot(cfg Config) error {
	host := func(args []any) (any, error) { return callHost(cfg.Host, args) }
	if err := e.vm.RegisterHostFunc(hostGlobal, host); err != nil {
		return fmt.Errorf("registering the host function: %w", err)
	}
	if err := e.Eval(cfg.Runtime); err != nil {
		return fmt.Errorf("running the runtime script: %w", err)
	}
	if err := e.export(); err != nil {
		return fmt.Errorf("reading the runtime's functions: %w", err)
	}
	if cfg.Rejected == nil {
		return nil
	}
	var err error
	e.tracker, err = track(e.vm, cfg.Rejected)
	return err
}

// callHost keeps a panic of the host away from the engine: JavaScript sees an
// exception.
func callHost(host Host, args []any) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error in the host: %v\n%s", p, debug.Stack())
		}
	}()
	if len(args) == 0 {
		return nil, errors.New("no operation named")
	}
	op, ok := args[0].(string)
	if !ok {
		return nil, errors.New("an operation's name is a string")
	}
	return host(op, args[1:])
}

// export takes the runtime's functions out of the global object.
func (e *engine) export() error {
	global := e.vm.GlobalObject()
	defer global.Free()
	atom, err := e.vm.NewAtom(runtimeGlobal)
	if err != nil {
		return err
	}
	rt, err := global.GetPropertyValue(atom)
	if err != nil {
		return err
	}
	defer rt.Free()
	names, err := e.vm.Eval("(() => { const n = Object.keys("+runtimeGlobal+").join(); delete globalThis."+runtimeGlobal+"; return n; })()", quickjs.EvalGlobal)
	if err != nil {
		return convert(err)
	}
	list, _ := names.(string)
	for name := range splitComma(list) {
		atom, err := e.vm.NewAtom(name)
		if err != nil {
			return err
		}
		fn, err := rt.GetPropertyValue(atom)
		if err != nil {
			return convert(err)
		}
		e.fns[name] = fn
	}
	return nil
}

func (e *engine) Eval(p Program) error {
	if len(p.Code) > 0 {
		v, err := e.vm.EvalBytecodeValue(p.Code)
		if err == nil {
			v.Free()
			return nil
		}
		if !staleCode(err) {
			return convert(err)
		}
	}
	code, err := compile(e.vm, p.Name, p.Source)
	if err != nil {
		return err
	}
	v, err := e.vm.EvalBytecodeValue(code)
	if err != nil {
		return convert(err)
	}
	v.Free()
	return nil
}

func (e *engine) CallRT(name string, args ...any) (string, error) {
	fn, ok := e.fns[name]
	if !ok {
		return "", fmt.Errorf("the runtime has no function %q", name)
	}
	v, err := fn.Call(quickjs.UndefinedValue, args...)
	if err != nil {
		return "", convert(err)
	}
	s, _ := v.(string)
	return s, nil
}

func (e *engine) RunJobs() error {
	for {
		n, err := e.vm.ExecutePendingJobs()
		if _, js := errors.AsType[*quickjs.Error](err); err != nil && !js && n >= manyJobs {
			continue // it gave up by count; how long jobs may run is for Interrupt to say
		}
		if err != nil {
			return convert(err)
		}
		return nil
	}
}

// manyJobs is fewer than the number of jobs after which the quickjs package
// takes a queue for endless.
const manyJobs = 1 << 19

func (e *engine) Interrupt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.asked++
	e.vm.Interrupt()
	if e.asked > 1 && e.starve != nil {
		e.starve()
	}
}

func (e *engine) Resume() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.asked == 0 {
		return
	}
	e.asked = 0
	e.vm.SetMemoryLimit(uintptr(e.memory))
}

func (e *engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	for _, fn := range e.fns {
		fn.Free()
	}
	e.fns = nil
	if e.tracker != nil {
		e.tracker.stop()
	}
	if err := e.vm.Close(); err != nil {
		return fmt.Errorf("closing the script engine: %w", err)
	}
	return nil
}

func convert(err error) error {
	e, ok := errors.AsType[*quickjs.Error](err)
	if !ok {
		return err
	}
	out := &Error{Name: e.Name, Message: e.Message, Stack: e.Stack}
	if out.Name == "" && out.Message == "" {
		out.Message = e.Error()
	}
	return out
}
