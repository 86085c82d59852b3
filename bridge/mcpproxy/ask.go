package mcpproxy

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// Members of the requests and results of a call that takes several rounds, and the
// metadata of requests from the protocol's version 2026-07-28 on.
const (
	memberState     = "requestState"
	memberResponses = "inputResponses"
	ourQuestion     = "hookline"

	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	roundsSince      = "2026-07-28"
)

// maxOpen bounds the calls that the client may send again.
const maxOpen = 256

// permit lets hooks or the person decide about a request, and returns the answer in the
// server's place when it may not go on, or not yet.
func (p *proxy) permit(c *call, tool, reason string) []byte {
	in := &hook.PermissionRequest{Common: p.Common, ToolName: tool, ToolInput: c.input}
	out, err := p.fire(c.ctx, in)
	if err == nil {
		err = c.take(in.ToolInput)
	}
	switch {
	case err != nil:
		return c.refuse("the hooks that guard tools could not be asked: " + err.Error())
	case out.Decision == hook.DecisionDeny:
		return c.refuse(cmp.Or(out.Reason, "a hook refused it"))
	case out.Decision == hook.DecisionAllow:
		return nil
	}
	form := hook.MustJSON(map[string]any{
		"mode": "form", "message": question(p.Server, tool, c.input, reason),
		"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}},
	})
	if c.modern() {
		return p.askInRounds(c, form, reason)
	}
	answer, asked := p.askClient(c, form)
	switch {
	case !asked:
		return c.refuse(nobody(reason))
	case answer.String("action") != "accept":
		return c.refuse("the person refused it (" + reason + ")")
	}
	return nil
}

func nobody(reason string) string {
	return "it needs a person's yes, and the client cannot ask one: " + reason
}

// question is what the person reads.
func question(server, tool string, input hook.JSON, reason string) string {
	const most = 4000
	text := input.Raw()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d bytes in all)", len(text))
	}
	return fmt.Sprintf("Allow %s of the MCP server %s? %s\n%s", tool, server, reason, text)
}

// askClient puts a form to the person through the client, and waits for the answer. It
// reports whether there was one.
func (p *proxy) askClient(c *call, form hook.JSON) (hook.JSON, bool) {
	answers := make(chan jsonrpc.Message, 1)
	p.mu.Lock()
	can := p.canAsk
	p.counter++
	id := fmt.Sprintf("hookline-%d", p.counter)
	rawID := hook.MustJSON(id).Raw()
	if can {
		p.asked[rawID] = answers
	}
	p.mu.Unlock()
	if !can {
		return hook.JSON{}, false
	}
	defer func() {
		p.mu.Lock()
		delete(p.asked, rawID)
		p.mu.Unlock()
	}()
	write(p.client, jsonrpc.Call(rawID, methodElicit, form))
	select {
	case m, ok := <-answers:
		return m.Content(), ok && !m.Failed && m.Clear()
	case <-c.ctx.Done():
		return hook.JSON{}, false
	}
}

// answered takes the client's answer to a question, of ours or of the server. It reports
// whether the server is not to get it.
func (p *proxy) answered(m *jsonrpc.Message) bool {
	p.mu.Lock()
	ours := p.asked[m.ID]
	delete(p.asked, m.ID)
	theirs := p.heard[m.ID]
	delete(p.heard, m.ID)
	p.mu.Unlock()
	switch {
	case ours != nil:
		ours <- *m
		return true
	case theirs != nil:
		answer := *m
		p.before.work.Go(func() { p.elicitedAnswer(theirs, &answer) })
		return true
	}
	return false
}

// modern reports whether a request is of a version in which a server asks by a result.
func (c *call) modern() bool { return versionOf(c.params) >= roundsSince }

// versionOf is the protocol's version that a message names, "" when it names none.
func versionOf(params hook.JSON) string {
	meta, _ := params.Get("_meta")
	return meta.String(metaVersion)
}

// round is a call that the client is to send again, with answers.
type round struct {
	method string
	sent   hook.JSON // the parameters as the client sent them
	call   *call     // with the parameters for the server
	ours   bool      // the question is ours; else the server's, which gets back:
	state  hook.JSON
}

// askInRounds asks by a result.
func (p *proxy) askInRounds(c *call, form hook.JSON, reason string) []byte {
	meta, _ := c.params.Get("_meta")
	caps, _ := meta.Get(metaCapabilities)
	if !asksForms(caps) {
		return c.refuse(nobody(reason))
	}
	token, ok := p.keep(&round{method: c.request.Method, sent: c.request.Content(), call: c, ours: true})
	if !ok {
		return c.refuse("too many questions wait for an answer")
	}
	return jsonrpc.Reply(c.request.RawID, hook.MustJSON(map[string]any{
		"resultType": "input_required", memberState: token,
		"inputRequests": map[string]any{ourQuestion: map[string]any{"method": methodElicit, "params": form}},
	}))
}

// keep remembers a call that comes again, by the state that it will carry.
func (p *proxy) keep(r *round) (token string, ok bool) {
	token = ourQuestion + "-" + rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) >= maxOpen {
		return "", false
	}
	p.open[token] = r
	return token, true
}

// again passes on that the server wants a call again with answers: hooks have decided
// about it then.
func (p *proxy) again(c *call, m *jsonrpc.Message) []byte {
	result := m.Content()
	state, _ := result.Get(memberState)
	token, ok := p.keep(&round{method: c.request.Method, sent: c.request.Content(), call: c, state: state})
	if !ok || !result.SetString(memberState, token) {
		return c.refuse("the server asks for more than can be remembered")
	}
	return m.With(result)
}

// resume takes a call that comes again. It reports whether the hooks have decided about it;
// the answer is one in the server's place.
func (p *proxy) resume(c *call) (answer []byte, again bool) {
	token := c.params.String(memberState)
	if !strings.HasPrefix(token, ourQuestion+"-") {
		return nil, false
	}
	p.mu.Lock()
	r := p.open[token]
	delete(p.open, token)
	p.mu.Unlock()
	if r == nil || r.method != c.request.Method || !same(r.sent, c.params) {
		return c.refuse("hookline: the call is not the one that was to be sent again"), true
	}
	responses, _ := c.params.Get(memberResponses)
	sent := c.params
	c.input, c.original, c.notes = r.call.input, r.call.original, r.call.notes
	if r.ours {
		if yes, _ := responses.Get(ourQuestion); yes.String("action") != "accept" {
			return c.refuse("the person refused it"), true
		}
		c.params = r.call.params
		return nil, true
	}
	c.params = r.call.params
	meta, ok := sent.Get("_meta")
	for _, set := range []struct {
		key   string
		value hook.JSON
		there bool
	}{{"_meta", meta, ok}, {memberResponses, responses, true}, {memberState, r.state, !r.state.IsZero()}} {
		if !set.there {
			c.params.Delete(set.key)
		} else if err := c.params.Set(set.key, set.value); err != nil {
			return c.refuse("hookline: the call cannot be put together: " + err.Error()), true
		}
	}
	return nil, true
}

// same reports whether two calls are of one tool with one input.
func same(a, b hook.JSON) bool {
	for _, key := range []string{"name", "uri", "arguments"} {
		x, _ := a.Get(key)
		y, _ := b.Get(key)
		if jsonrpc.Canonical([]byte(x.Raw())) != jsonrpc.Canonical([]byte(y.Raw())) {
			return false
		}
	}
	return true
}
