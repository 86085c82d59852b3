package script

import (
	"errors"
	"fmt"

	"github.com/hookline-dev/hookline/handler/script/internal/vm"
)

// nodeEngine is a module's share of the Node process, as an engine. To the rest
// of the package it differs in one thing: its JavaScript may call the host while
// nobody has called it.
type nodeEngine struct {
	proc    *nodeProc
	id      int64
	host    vm.Host
	pending chan func()      // host calls for the owner
	replies chan nodeMessage // to the owner's own calls
	n       int64            // number of the last call
}

var _ remote = (*nodeEngine)(nil)

// mayUseNode refuses what cannot or may not run in Node.
func mayUseNode(path string, o Options) error {
	switch {
	case o.Node == nil:
		return loadProblem(path, "the module asks for the Node runtime, which is not turned on", "", nil)
	case !o.Grants.Exec && !o.Grants.All:
		return loadProblem(path, "in Node a module has all of a program's rights, and it was not granted exec", "grant it exec, or remove runtime=node", nil)
	}
	return nil
}

// startNode starts the module in the Node process.
func (i *instance) startNode() (vm.Program, error) {
	proc, err := i.m.opts.Node.current()
	if err != nil {
		return vm.Program{}, err
	}
	e := &nodeEngine{proc: proc, host: i.host, pending: make(chan func(), 1), replies: make(chan nodeMessage, 1)}
	proc.add(e)
	i.eng, i.guard.cpuTime = e, nil
	if _, err := e.roundTrip("boot", map[string]any{"runtime": runtimeSource(timersFile)}); err != nil {
		return vm.Program{}, err
	}
	return vm.Program{Name: bundleName, Source: i.m.bundle.script}, nil
}

// take is called by the process's reader with a message for this module. The
// process waits for the answer to a host call, so there is never a second one.
func (e *nodeEngine) take(m nodeMessage) {
	if m.Type != "host" {
		select {
		case e.replies <- m:
		default: // a reply to a call that was given up
		}
		return
	}
	e.pending <- func() {
		for n, arg := range m.Args {
			if f, ok := arg.(float64); ok && f == float64(int(f)) {
				m.Args[n] = int(f)
			}
		}
		e.proc.answer(e.host(m.Op, m.Args))
	}
}

func (e *nodeEngine) calls() <-chan func()  { return e.pending }
func (e *nodeEngine) lost() <-chan struct{} { return e.proc.gone }

// errNodeGone is the error of calls into a process that ended.
var errNodeGone = errors.New("the Node process ended")

// roundTrip sends a request and answers the host calls that come until its reply
// does.
func (e *nodeEngine) roundTrip(what string, more map[string]any) (string, error) {
	e.n++
	message := map[string]any{"t": what, "id": e.id, "n": e.n}
	for k, v := range more {
		message[k] = v
	}
	if err := e.proc.send("", message); err != nil {
		return "", fmt.Errorf("%w: %w", errNodeGone, err)
	}
	for {
		select {
		case f := <-e.pending:
			f()
		case m := <-e.replies:
			switch {
			case m.N != e.n:
			case m.Error != nil:
				return "", &vm.Error{Name: m.Error.Name, Message: m.Error.Message, Stack: m.Error.Stack}
			default:
				return m.Value, nil
			}
		case <-e.proc.gone:
			return "", errNodeGone
		}
	}
}

// Eval runs a script.
func (e *nodeEngine) Eval(p vm.Program) error {
	_, err := e.roundTrip("eval", map[string]any{"source": p.Source})
	return err
}

// CallRT calls a function of the runtime.
func (e *nodeEngine) CallRT(name string, args ...any) (string, error) {
	if args == nil {
		args = []any{}
	}
	return e.roundTrip("call", map[string]any{"fn": name, "args": args})
}

// RunJobs waits until Node has run its jobs: it reads the next message after.
func (e *nodeEngine) RunJobs() error {
	_, err := e.roundTrip("ping", nil)
	return err
}

// Interrupt ends the process, since nothing less stops JavaScript in it.
func (e *nodeEngine) Interrupt() { e.proc.kill(errors.New("a module hung")) }

// Resume does nothing: the process is gone.
func (e *nodeEngine) Resume() {}

// Close takes the module out of the process. Its timers and the like may go on
// there; what they call is refused.
func (e *nodeEngine) Close() error {
	e.proc.remove(e)
	if e.proc.alive() {
		_ = e.proc.send("", map[string]any{"t": "drop", "id": e.id, "n": 0}) // it may just have ended
	}
	select {
	case <-e.pending:
		e.proc.answer("", errors.New("the module is gone"))
	default:
	}
	return nil
}
