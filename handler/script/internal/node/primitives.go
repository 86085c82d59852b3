package node

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler/script/jslib"
)

// Options configures Primitives.
type Options struct {
	// Grants is what the module may do.
	Grants Grants
	// Cwd is the directory that relative paths start from and that children
	// run in. Empty means the process's own.
	Cwd string
	// Env is the environment as KEY=VALUE, before Grants.Env filters it. Nil
	// means os.Environ().
	Env []string
	// HTTPClient makes the requests of fetch; its CheckRedirect is not used.
	// Nil means a client of the module's own with the standard transport.
	HTTPClient *http.Client
	// Log receives what the module prints. Level is "debug", "info", "warn" or
	// "error". It is called on the goroutine of the operation. Nil drops it.
	Log func(level, msg string)
	// Script is the module's path, for process.argv.
	Script string
}

// Primitives answers the operations of one module's built-ins. Sync, Async and
// Close may be called from any goroutine and at the same time.
type Primitives struct {
	opts   Options
	ops    map[string]operation
	ctx    context.Context // ends with Close; the parent of all that runs
	cancel context.CancelFunc
	wg     sync.WaitGroup // children's waiters, watchers

	readRoots, writeRoots roots
	env                   map[string]string
	client                *http.Client
	ownClient             bool

	mu       sync.Mutex
	closed   bool
	cwd      string
	nextID   int
	files    map[int]*openFile
	children map[int]*child
	bodies   map[int]*openBody
	watches  map[int]*watch
}

// An operation is one entry of the table: what it does, and whether it may
// wait for the outside, which makes it asynchronous only.
type operation struct {
	run   func(ctx context.Context, args []byte, emit func([]byte)) (any, error)
	waits bool
}

// New returns the primitives of one module. A granted folder that does not
// exist is not an error: it is looked for again when it is used. Close must be
// called.
func New(opts Options) (*Primitives, error) {
	cwd := opts.Cwd
	if cwd == "" {
		var err error
		if cwd, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("finding the working directory: %w", err)
		}
	}
	cwd, err := filepath.Abs(cwd)
	if err != nil {
		return nil, fmt.Errorf("making %s absolute: %w", opts.Cwd, err)
	}
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	if opts.Log == nil {
		opts.Log = func(string, string) {}
	}
	p := &Primitives{
		opts: opts, cwd: cwd, nextID: firstDescriptor,
		readRoots: newRoots(opts.Grants.Read, cwd), writeRoots: newRoots(opts.Grants.Write, cwd),
		env:   opts.Grants.filterEnv(opts.Env),
		files: map[int]*openFile{}, children: map[int]*child{}, bodies: map[int]*openBody{}, watches: map[int]*watch{},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.setClient(opts.HTTPClient)
	p.ops = p.table()
	return p, nil
}

// firstDescriptor is the first number given to files, children and the like:
// past those that mean something by themselves.
const firstDescriptor = 10

// table lists the operations.
func (p *Primitives) table() map[string]operation {
	ops := map[string]operation{
		"node.internal.source": op(func(_ context.Context, a struct{ Name string }) (any, error) {
			if src, ok := jslib.Chunk(a.Name); ok {
				return src, nil
			}
			return nil, &Error{Code: "ERR_UNKNOWN_BUILTIN_MODULE", Message: "No such built-in module: " + a.Name}
		}),
		"node.log": op(func(_ context.Context, a struct{ Level, Message string }) (any, error) {
			p.opts.Log(a.Level, a.Message)
			return nil, nil
		}),
	}
	for _, add := range []func(map[string]operation){
		p.addFileOps, p.addDirOps, p.addWatchOps, p.addProcessOps, p.addChildOps, p.addFetchOps, p.addCryptoOps, p.addScrypt, p.addTextOps, p.addTimeOps,
	} {
		add(ops)
	}
	return ops
}

// op makes an operation of a function with typed arguments. Unknown members
// are ignored; lone surrogates, which JavaScript strings may hold, become
// U+FFFD.
func op[A any](f func(context.Context, A) (any, error)) operation {
	return operation{run: func(ctx context.Context, args []byte, _ func([]byte)) (any, error) {
		a, err := decode[A](args)
		if err != nil {
			return nil, err
		}
		return f(ctx, a)
	}}
}

// waitOp is op for an operation that may wait.
func waitOp[A any](f func(context.Context, A) (any, error)) operation {
	o := op(f)
	o.waits = true
	return o
}

// eventOp is waitOp for an operation that reports events meanwhile.
func eventOp[A any](f func(context.Context, A, func(any)) (any, error)) operation {
	return operation{waits: true, run: func(ctx context.Context, args []byte, emit func([]byte)) (any, error) {
		a, err := decode[A](args)
		if err != nil {
			return nil, err
		}
		return f(ctx, a, func(event any) {
			if data, err := encode(event); err == nil && emit != nil {
				emit(data)
			}
		})
	}}
}

func decode[A any](args []byte) (A, error) {
	var a A
	opts := json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true))
	if err := json.Unmarshal(args, &a, opts); err != nil {
		return a, &Error{Name: "TypeError", Code: "ERR_INVALID_ARG_TYPE", Message: "bad arguments to the host: " + err.Error()}
	}
	return a, nil
}

func encode(value any) ([]byte, error) {
	return json.Marshal(value, jsontext.AllowInvalidUTF8(true))
}

// Has reports whether op is one of the operations.
func (p *Primitives) Has(op string) bool {
	_, ok := p.ops[op]
	return ok
}

// Sync runs an operation to its end and returns its result as JSON. It does
// not wait for people or the network, but it does wait for files and for
// programs run by the sync forms of child_process; Close ends such a wait.
// Errors are *Error.
func (p *Primitives) Sync(op string, args []byte) ([]byte, error) {
	o, ok := p.ops[op]
	switch {
	case !ok:
		return nil, unknownOp(op)
	case o.waits:
		return nil, &Error{Code: "ERR_METHOD_NOT_IMPLEMENTED", Message: op + " has no synchronous form"}
	}
	return p.run(p.ctx, o, args, nil)
}

// Async runs an operation until it is done or ctx ends, and returns its result
// as JSON. Emit, which may be nil, is called with the JSON of each event
// meanwhile, on the operation's goroutine, and never after Async has returned.
// Errors are *Error.
func (p *Primitives) Async(ctx context.Context, op string, args []byte, emit func([]byte)) ([]byte, error) {
	o, ok := p.ops[op]
	if !ok {
		return nil, unknownOp(op)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(p.ctx, func() { cancel(errClosed) })
	defer stop()
	return p.run(ctx, o, args, emit)
}

func (p *Primitives) run(ctx context.Context, o operation, args []byte, emit func([]byte)) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, &Error{Code: "ERR_INTERNAL_ASSERTION", Message: fmt.Sprintf("panic in a built-in: %v\n%s", r, debug.Stack())}
		}
	}()
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	value, err := o.run(ctx, args, emit)
	if err != nil {
		return nil, asError(err)
	}
	result, err = encode(value)
	if err != nil {
		return nil, asError(err)
	}
	return result, nil
}

var errClosed = &Error{Name: "AbortError", Code: "ABORT_ERR", Message: "the module is being closed"}

func unknownOp(op string) *Error {
	return &Error{Code: "ERR_METHOD_NOT_IMPLEMENTED", Message: "no such operation: " + op}
}

// Close ends everything that the module left running or open: children with
// their process groups, watchers, requests, files. It waits for them and may
// be called more than once. Operations that are under way fail; those that
// come later do too.
func (p *Primitives) Close() error {
	p.mu.Lock()
	already := p.closed
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	if !already {
		p.closeChildren()
		p.closeBodies()
		p.closeWatches()
		p.closeFiles()
		if p.ownClient {
			p.client.CloseIdleConnections()
		}
	}
	p.wg.Wait()
	if !already {
		p.readRoots.close()
		p.writeRoots.close()
	}
	return nil
}

// register puts a resource under a new id, or reports false after Close.
func register[T any](p *Primitives, table map[int]T, value T) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, false
	}
	id := p.nextID
	p.nextID++
	table[id] = value
	return id, true
}

// lookup finds a resource.
func lookup[T any](p *Primitives, table map[int]T, id int) (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	value, ok := table[id]
	return value, ok
}

// take removes a resource and returns it.
func take[T any](p *Primitives, table map[int]T, id int) (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	value, ok := table[id]
	delete(table, id)
	return value, ok
}

// takeAll empties a table.
func takeAll[T any](p *Primitives, table map[int]T) []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []T
	for id, value := range table {
		all = append(all, value)
		delete(table, id)
	}
	return all
}
