package session

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// formatVersion is the version of the file format that this package writes. Files
// with a newer one are refused.
const formatVersion = 1

// Type says what an entry is.
type Type string

// The entry types. The first group are nodes of the tree; the second stands
// beside it and never becomes the leaf. Types that this package doesn't know are
// kept as nodes.
const (
	Message       Type = "message"        // a message of the conversation
	Custom        Type = "custom"         // state of a hook, not sent to the model
	CustomMessage Type = "custom_message" // a message of a hook's own kind, sent to the model
	Compaction    Type = "compaction"     // a summary that takes the place of what came before
	BranchSummary Type = "branch_summary" // a summary of a branch that was left
	ModelChange   Type = "model_change"   // another model from here on

	Label           Type = "label"            // names an entry
	Title           Type = "title"            // names the session
	Leaf            Type = "leaf"             // moves the leaf
	PendingContext  Type = "pending_context"  // context for the next model call
	PendingConsumed Type = "pending_consumed" // context that was delivered
)

// inTree reports whether entries of a type are nodes of the tree.
func (t Type) inTree() bool {
	switch t {
	case Label, Title, Leaf, PendingContext, PendingConsumed:
		return false
	}
	return true
}

// Entry is one line of a session. Which fields count depends on the type.
// Payloads are kept as they were given, byte for byte apart from line breaks
// between JSON tokens.
type Entry struct {
	Type Type `json:"type"`
	// ID, ParentID and Time are set by Append. ParentID is "" for a root.
	ID       string    `json:"id"`
	ParentID string    `json:"parentId,omitzero"`
	Time     time.Time `json:"timestamp,omitzero"`
	// Consumed lists pending context that was delivered with what led to this
	// entry; set by the Append that records it.
	Consumed []string `json:"consumed,omitempty"`

	// Message of a message.
	Message jsontext.Value `json:"message,omitzero"`

	// CustomType of custom and custom_message; Data of custom; Content, a string
	// or content blocks, and Display of custom_message.
	CustomType string         `json:"customType,omitzero"`
	Data       jsontext.Value `json:"data,omitzero"`
	Content    jsontext.Value `json:"content,omitzero"`
	Display    bool           `json:"display,omitzero"`

	// Summary of compaction and branch_summary; FirstKeptEntryID is the first
	// entry that a compaction leaves as it is, FromID the leaf that was left.
	Summary          string `json:"summary,omitzero"`
	FirstKeptEntryID string `json:"firstKeptEntryId,omitzero"`
	TokensBefore     int64  `json:"tokensBefore,omitzero"`
	FromID           string `json:"fromId,omitzero"`
	// FromHook says that a hook supplied the summary.
	FromHook bool `json:"fromHook,omitzero"`
	// Details of custom_message, compaction and branch_summary.
	Details jsontext.Value `json:"details,omitzero"`

	// Provider and ModelID of a model_change, and the name that it was asked for by.
	Provider       string `json:"provider,omitzero"`
	ModelID        string `json:"modelId,omitzero"`
	RequestedModel string `json:"requestedModel,omitzero"`

	// TargetID of label and leaf; "" moves the leaf before the first entry.
	TargetID string `json:"targetId,omitzero"`
	Label    string `json:"label,omitzero"`

	// Text of pending_context and title; Source of pending_context.
	Text   string `json:"text,omitzero"`
	Source string `json:"source,omitzero"`

	// Extra holds the members that this version doesn't know.
	Extra jsontext.Value `json:",embed"`
}

// Header is the first line of a session.
type Header struct {
	Type    string `json:"type"` // "session"
	Version int    `json:"version"`
	ID      string `json:"id"`
	Cwd     string `json:"cwd"`
	// Created is when the session was made, in UTC.
	Created time.Time `json:"timestamp"`
	// ParentSession is the file that this session was branched from.
	ParentSession string         `json:"parentSession,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// lenient reads what models and hooks write: payloads are carried, not judged.
var lenient = json.JoinOptions(
	jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true),
)

const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// encode writes an entry as one line, with its line break, in pieces: a message may be long
// and stays where it is.
func encode(e Entry) ([][]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"type":`)
	writeString(&b, string(e.Type))
	b.WriteString(`,"id":`)
	writeString(&b, e.ID)
	b.WriteString(`,"parentId":`)
	if e.ParentID == "" {
		b.WriteString("null")
	} else {
		writeString(&b, e.ParentID)
	}
	b.WriteString(`,"timestamp":`)
	writeString(&b, e.Time.UTC().Format(timeFormat))
	if e.Message != nil {
		b.WriteString(`,"message":`)
	}
	message, err := onOneLine(e.Message)
	if err != nil {
		return nil, fmt.Errorf("encoding a %s entry: %w", e.Type, err)
	}
	rest := e
	rest.Type, rest.ID, rest.ParentID, rest.Time, rest.Message = "", "", "", time.Time{}, nil
	tail, err := json.Marshal(rest, lenient)
	if err != nil {
		return nil, fmt.Errorf("encoding a %s entry: %w", e.Type, err)
	}
	// The tail begins with the empty type and id, which are written already.
	tail, ok := bytes.CutPrefix(tail, []byte(`{"type":"","id":""`))
	if !ok {
		return nil, fmt.Errorf("encoding a %s entry: unexpected %.40q", e.Type, tail)
	}
	return [][]byte{b.Bytes(), message, append(tail, '\n')}, nil
}

// onOneLine is a value without line breaks between its tokens.
func onOneLine(v jsontext.Value) (jsontext.Value, error) {
	if !bytes.ContainsAny(v, "\n\r") {
		return v, nil
	}
	v = v.Clone()
	return v, v.Compact(lenient)
}

// encodeLine is encode in one piece, without the line break.
func encodeLine(e Entry) ([]byte, error) {
	pieces, err := encode(e)
	return bytes.TrimSuffix(bytes.Join(pieces, nil), []byte{'\n'}), err
}

func writeString(b *bytes.Buffer, s string) {
	q, _ := jsontext.AppendQuote(nil, s)
	b.Write(q)
}

// decode reads a line.
func decode(line []byte) (Entry, error) {
	var e Entry
	err := json.Unmarshal(line, &e, lenient)
	return e, err
}

// knownMembers are the names that Extra can't hold.
var knownMembers = []string{
	`"type"`, `"id"`, `"parentId"`, `"timestamp"`, `"consumed"`, `"message"`, `"customType"`, `"data"`, `"content"`, `"display"`,
	`"summary"`, `"firstKeptEntryId"`, `"tokensBefore"`, `"fromId"`, `"fromHook"`, `"details"`, `"provider"`, `"modelId"`, `"requestedModel"`,
	`"targetId"`, `"label"`, `"text"`, `"source"`,
}

// check says what is wrong with an entry that is to be appended.
func (e *Entry) check() error {
	if e.Type == "" || len(e.Type) > 64 || strings.ContainsFunc(string(e.Type), func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
		return fmt.Errorf("type %q is not an entry type", e.Type)
	}
	for name, v := range map[string]jsontext.Value{"message": e.Message, "data": e.Data, "content": e.Content, "details": e.Details, "extra": e.Extra} {
		if v != nil && !v.IsValid(lenient) {
			return fmt.Errorf("%s is not valid JSON", name)
		}
	}
	if e.Extra != nil {
		if e.Extra.Kind() != '{' {
			return errors.New("extra is not a JSON object")
		}
		for name := range members(e.Extra) {
			if slices.Contains(knownMembers, string(name)) {
				return fmt.Errorf("extra holds %s, which is a member of its own", name)
			}
		}
	}
	switch e.Type {
	case Message:
		if e.Message.Kind() != '{' {
			return errors.New("the message is not a JSON object")
		}
	case Custom, CustomMessage:
		if e.CustomType == "" {
			return errors.New("customType is empty")
		}
	}
	return nil
}
