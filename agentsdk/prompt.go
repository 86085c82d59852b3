package agentsdk

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
)

// userMessage is a line with a prompt.
type userMessage struct {
	Message struct {
		Content jsontext.Value `json:"content"`
	} `json:"message"`
	UUID        string `json:"uuid"`
	Priority    string `json:"priority"`    // now, next or later
	ShouldQuery *bool  `json:"shouldQuery"` // false keeps it for the next prompt
}

// prompt is one that waits.
type prompt struct {
	id       string // the program's
	text     string
	images   []model.Image
	quiet    bool
	priority int
	fault    error // why it can't be worked on
}

// priorities order the prompts that wait; those of one priority are taken as they came.
var priorities = map[string]int{"now": 0, "next": 1, "": 1, "later": 2}

// maxQueue bounds the prompts that wait.
const maxQueue = 1000

// enqueue puts a prompt behind those that wait. One that comes twice counts once; one that
// is to be taken now interrupts the one that runs.
func (s *Server) enqueue(m userMessage) error {
	p := prompt{id: m.UUID, quiet: m.ShouldQuery != nil && !*m.ShouldQuery}
	var known bool
	if p.priority, known = priorities[m.Priority]; !known {
		p.fault = fmt.Errorf("priority is now, next or later, not %q", m.Priority)
	} else {
		p.text, p.images, p.fault = promptOf(m.Message.Content)
	}
	s.mu.Lock()
	twice := m.UUID != "" && s.seen[m.UUID]
	full := len(s.queue) >= maxQueue
	if !twice && !full {
		if m.UUID != "" {
			s.seen[m.UUID] = true
		}
		i := slices.IndexFunc(s.queue, func(q prompt) bool { return q.priority > p.priority })
		if i < 0 {
			i = len(s.queue)
		}
		s.queue = slices.Insert(s.queue, i, p)
		if s.stopTurn != nil && p.priority == 0 && known {
			s.stopTurn(errInterrupted)
		}
	}
	s.mu.Unlock()
	switch {
	case twice:
		s.warn(fmt.Sprintf("The prompt %s was there already and counts once.", m.UUID))
	case full:
		return fmt.Errorf("%d prompts wait, which is the limit", maxQueue)
	}
	s.tell()
	return nil
}

// promptOf reads the content of a prompt: a text, or blocks of text and images.
func promptOf(content jsontext.Value) (text string, images []model.Image, err error) {
	if content.Kind() == '"' {
		err := decode(content, &text)
		return text, nil, err
	}
	var blocks []struct {
		Type   model.BlockType `json:"type"`
		Text   string          `json:"text"`
		Source *model.Image    `json:"source"`
	}
	if len(content) == 0 {
		return "", nil, errors.New("the prompt has no content")
	}
	if err := decode(content, &blocks); err != nil {
		return "", nil, fmt.Errorf("the content of the prompt: %w", err)
	}
	var texts []string
	for _, b := range blocks {
		switch {
		case b.Type == model.TextBlock:
			texts = append(texts, b.Text)
		case b.Type == model.ImageBlock && b.Source != nil:
			images = append(images, *b.Source)
		default:
			return "", nil, fmt.Errorf("a block of type %q can't be part of a prompt", b.Type)
		}
	}
	return strings.Join(texts, "\n"), images, nil
}
