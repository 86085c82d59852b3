package script

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/internal/frontmatter"
)

type file struct {
	Turns []*turn `yaml:"turns"`
}

type turn struct {
	When       *match   `yaml:"when"`
	Expect     *match   `yaml:"expect"`
	Repeat     int      `yaml:"repeat"`
	Text       string   `yaml:"text"`
	Thinking   string   `yaml:"thinking"`
	ToolCalls  []call   `yaml:"tool_calls"`
	Chunks     int      `yaml:"chunks"`
	Delay      duration `yaml:"delay"`
	ChunkDelay duration `yaml:"chunk_delay"`
	Truncate   bool     `yaml:"truncate"`
	Error      *failure `yaml:"error"`
	Stop       string   `yaml:"stop"`
	Usage      *usage   `yaml:"usage"`

	used int
}

type call struct {
	Name  string    `yaml:"name"`
	ID    string    `yaml:"id"`
	Input yaml.Node `yaml:"input"`
	Raw   *string   `yaml:"raw"`

	text string // what the model writes as the input
}

type failure struct {
	Status     int      `yaml:"status"`
	Type       string   `yaml:"type"`
	Message    string   `yaml:"message"`
	RetryAfter duration `yaml:"retry_after"`
}

type usage struct {
	Input      int64 `yaml:"input"`
	Output     int64 `yaml:"output"`
	CacheRead  int64 `yaml:"cache_read"`
	CacheWrite int64 `yaml:"cache_write"`
}

// duration is a number of seconds or a Go duration.
type duration time.Duration

// UnmarshalYAML reads a duration.
func (d *duration) UnmarshalYAML(n *yaml.Node) error {
	if s, err := strconv.ParseFloat(n.Value, 64); err == nil && s >= 0 && s < 1e6 {
		*d = duration(s * float64(time.Second))
		return nil
	}
	v, err := time.ParseDuration(n.Value)
	if err != nil || v < 0 {
		return fmt.Errorf("line %d: %q is neither seconds nor a duration such as 50ms", n.Line, n.Value)
	}
	*d = duration(v)
	return nil
}

// pattern is a regular expression.
type pattern struct{ *regexp.Regexp }

// UnmarshalYAML compiles a pattern.
func (p *pattern) UnmarshalYAML(n *yaml.Node) error {
	re, err := regexp.Compile(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	p.Regexp = re
	return nil
}

// Load reads a script from a file.
func Load(path string, o Options) (*Provider, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	p, err := Parse(data, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Parse reads a script. Unknown fields, bad patterns and turns that say nothing
// are errors that name the line.
func Parse(data []byte, o Options) (*Provider, error) {
	var f file
	err := yaml.Load(data, &f, yaml.WithKnownFields(), yaml.WithUniqueKeys())
	if err != nil {
		return nil, plain(err)
	}
	if len(f.Turns) == 0 {
		return nil, fmt.Errorf("the script has no turns")
	}
	for i, t := range f.Turns {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
	}
	return &Provider{turns: f.Turns, log: o.Log}, nil
}

// plain says an error of reading YAML in the words of the file.
func plain(err error) error {
	var all []string
	for _, fault := range frontmatter.TypeErrors("", err, unknownKey) {
		text := fault.Message
		if fault.Line > 0 {
			text = fmt.Sprintf("line %d: %s", fault.Line, text)
		}
		all = append(all, text)
	}
	return errors.New(strings.Join(all, "; "))
}

// unknownKey names the keys that there are in place of one that there is not.
func unknownKey(key, of string) string {
	for _, t := range []reflect.Type{reflect.TypeFor[file](), reflect.TypeFor[turn](), reflect.TypeFor[call](), reflect.TypeFor[match](), reflect.TypeFor[failure](), reflect.TypeFor[usage]()} {
		if t.Name() == of {
			return fmt.Sprintf("unknown key %q; there are %s", key, strings.Join(frontmatter.Keys(t), ", "))
		}
	}
	return fmt.Sprintf("unknown key %q", key)
}

func (t *turn) check() error {
	if t == nil || t.Text == "" && t.Thinking == "" && len(t.ToolCalls) == 0 && t.Error == nil && t.Stop == "" {
		return fmt.Errorf("it has no text, thinking, tool_calls, stop or error")
	}
	if t.Repeat == 0 {
		t.Repeat = 1
	}
	if t.Chunks < 0 || t.Chunks > 1e6 {
		return fmt.Errorf("chunks must lie between 1 and a million")
	}
	t.Chunks = max(t.Chunks, 1)
	for i := range t.ToolCalls {
		if err := t.ToolCalls[i].check(); err != nil {
			return fmt.Errorf("tool call %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *call) check() error {
	if c.Name == "" {
		return fmt.Errorf("it has no name")
	}
	if c.Raw != nil {
		if c.Input.Kind != 0 {
			return fmt.Errorf("give input or raw, not both")
		}
		c.text = *c.Raw
		return nil
	}
	if c.Input.Kind == 0 {
		c.text = "{}"
		return nil
	}
	conv := converter{budget: maxNodes}
	v, err := conv.toJSON(&c.Input)
	c.text = string(v)
	return err
}

// maxNodes limits what aliases can blow an input up to.
const maxNodes = 1_000_000

// converter turns YAML into JSON, keeping the order of names and the digits of
// numbers.
type converter struct{ budget, depth int }

func (c *converter) toJSON(n *yaml.Node) (jsontext.Value, error) {
	c.budget--
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > 100 || c.budget < 0 {
		return nil, fmt.Errorf("line %d: the input is too large or nested too deeply", n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.toJSON(n.Alias)
	case yaml.MappingNode:
		return c.object(n)
	case yaml.SequenceNode:
		out := jsontext.Value("[")
		for i, item := range n.Content {
			v, err := c.toJSON(item)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, v...)
		}
		return append(out, ']'), nil
	}
	return scalar(n)
}

func (c *converter) object(n *yaml.Node) (jsontext.Value, error) {
	out := jsontext.Value("{")
	for i := 0; i+1 < len(n.Content); i += 2 {
		v, err := c.toJSON(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(out, n.Content[i].Value); err != nil {
			return nil, fmt.Errorf("line %d: %w", n.Line, err)
		}
		out = append(append(out, ':'), v...)
	}
	return append(out, '}'), nil
}

func scalar(n *yaml.Node) (jsontext.Value, error) {
	switch n.ShortTag() {
	case "!!null":
		return jsontext.Value("null"), nil
	case "!!bool", "!!int", "!!float":
		if v := jsontext.Value(n.Value); v.IsValid() {
			return v, nil
		}
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, fmt.Errorf("line %d: %w", n.Line, err)
		}
		if text := jsontext.Value(fmt.Sprint(v)); text.IsValid() {
			return text, nil
		}
		return nil, fmt.Errorf("line %d: %s has no JSON form", n.Line, n.Value)
	}
	return jsontext.AppendQuote(nil, n.Value)
}

// stopReason is what the turn says, or the natural one.
func (t *turn) stopReason() model.StopReason {
	switch {
	case t.Stop != "":
		return model.StopReason(t.Stop)
	case len(t.ToolCalls) > 0:
		return model.StopToolUse
	}
	return model.StopEndTurn
}
