package script

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler/process"
)

//go:embed noderun.js
var nodeRunner string

// Node is the Node runtime: one child process for all modules that ask for it
// with "// hookline: runtime=node". It is started for the first of them, ended
// when a module hangs, and started again for the next call. It is safe for
// concurrent use; Close ends it.
//
// Modules in Node have the person's rights, and share one process: grants other
// than exec mean nothing there.
type Node struct {
	opts NodeOptions

	mu     sync.Mutex
	proc   *nodeProc
	closed bool
}

// NodeOptions configures a Node. The zero value runs the node of the PATH in the
// program's own directory.
type NodeOptions struct {
	// Path is the program, "node" by default.
	Path string
	// Dir is the working directory, the session's.
	Dir string
	// Env is the environment, as process.Spec has it.
	Env []string
	// OnPrint takes what modules print; nil drops it.
	OnPrint func(text string)
}

// NewNode returns a Node that is not started yet.
func NewNode(o NodeOptions) *Node {
	if o.Path == "" {
		o.Path = "node"
	}
	return &Node{opts: o}
}

// Close ends the process and waits for it. Close the modules first.
func (n *Node) Close() error {
	n.mu.Lock()
	n.closed = true
	p := n.proc
	n.mu.Unlock()
	if p != nil {
		p.kill(errClosed)
		p.wait()
	}
	return nil
}

// current returns the running process, starting one when there is none.
func (n *Node) current() (*nodeProc, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, errClosed
	}
	if n.proc != nil && n.proc.alive() {
		return n.proc, nil
	}
	p, err := startNodeProc(n.opts)
	if err != nil {
		return nil, fmt.Errorf("starting Node: %w", err)
	}
	n.proc = p
	return p, nil
}

// nodeProc is one process.
type nodeProc struct {
	child *process.Process
	gone  chan struct{} // closed when its output ended
	write sync.Mutex

	mu      sync.Mutex
	engines map[int64]*nodeEngine
	lastID  int64
}

func startNodeProc(o NodeOptions) (*nodeProc, error) {
	spec := process.Spec{
		Path: o.Path, Args: []string{"--no-warnings", "-e", nodeRunner}, Dir: o.Dir, Env: o.Env,
		StdinLater: true, StdoutPipe: true, StderrLimit: 64 << 10, Grace: -1,
	}
	if o.OnPrint != nil {
		spec.OnOutput = func(s process.Stream, text []byte) {
			if s == process.Stderr {
				o.OnPrint(string(text))
			}
		}
	}
	child, err := process.Start(context.Background(), spec)
	if err != nil {
		return nil, err
	}
	p := &nodeProc{child: child, gone: make(chan struct{}), engines: map[int64]*nodeEngine{}}
	go p.read()
	return p, nil
}

func (p *nodeProc) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// kill ends the process: no module in it can be trusted to give way.
func (p *nodeProc) kill(cause error) { p.child.Kill(cause) }

func (p *nodeProc) wait() {
	<-p.gone
	p.child.Wait()
}

// nodeMessage is a line from the process: a call of the host, or a reply.
type nodeMessage struct {
	Type  string       `json:"t"`
	ID    int64        `json:"id"`
	N     int64        `json:"n"`
	Op    string       `json:"op"`
	Args  []any        `json:"args"`
	Value string       `json:"v"`
	Error *jsException `json:"e"`
}

func (p *nodeProc) read() {
	defer close(p.gone)
	out := p.child.Stdout()
	defer out.Close()
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.kill(err)
			}
			return
		}
		var m nodeMessage
		if err := json.Unmarshal(line, &m); err != nil {
			p.kill(fmt.Errorf("reading what Node said: %w", err))
			return
		}
		p.mu.Lock()
		e := p.engines[m.ID]
		p.mu.Unlock()
		if e != nil {
			e.take(m)
		} else if m.Type == "host" {
			p.answer("", errors.New("the module is gone"))
		}
	}
}

func (p *nodeProc) send(prefix string, message any) error {
	text, err := json.Marshal(message, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	p.write.Lock()
	defer p.write.Unlock()
	_, err = p.child.Stdin().Write(append(append([]byte(prefix), text...), '\n'))
	return err
}

// answer replies to the host call that blocks the process. A failure to write
// shows as the end of the process.
func (p *nodeProc) answer(v string, err error) {
	a := map[string]string{"v": v}
	if err != nil {
		a = map[string]string{"e": err.Error()}
	}
	_ = p.send("=", a)
}

func (p *nodeProc) add(e *nodeEngine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastID++
	e.id = p.lastID
	p.engines[e.id] = e
}

func (p *nodeProc) remove(e *nodeEngine) {
	p.mu.Lock()
	delete(p.engines, e.id)
	p.mu.Unlock()
}
