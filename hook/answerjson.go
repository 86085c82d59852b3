package hook

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AnswerMember is a member of an answer's JSON form, which is what workers write.
type AnswerMember struct {
	// Name is the member's name, and Doc says what it does.
	Name, Doc string
	// Type is the Go type that its JSON decodes into, for schemas.
	Type reflect.Type

	has    func(r *Result) bool
	encode func(enc *jsontext.Encoder, r *Result) error
	decode func(dec *jsontext.Decoder, r *Result) error
}

// AnswerMembers returns the members of an answer's JSON form in their order. They are
// not to be changed.
func AnswerMembers() []AnswerMember { return answerMembers() }

var answerMembers = sync.OnceValue(func() (out []AnswerMember) {
	for _, row := range answerTable() {
		for _, m := range row.Members {
			if !slices.ContainsFunc(out, func(have AnswerMember) bool { return have.Name == m.Name }) {
				out = append(out, m)
			}
		}
	}
	return out
})

// answerMember finds a member, nil when there is none.
func answerMember(name string) *AnswerMember {
	members := answerMembers()
	if i := slices.IndexFunc(members, func(m AnswerMember) bool { return m.Name == name }); i >= 0 {
		return &members[i]
	}
	return nil
}

// MarshalJSONTo writes the answer as one object, without the parts that it has not.
func (r Result) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	members := answerMembers()
	for i := range members {
		m := &members[i]
		if !m.has(&r) {
			continue
		}
		if err := enc.WriteToken(jsontext.String(m.Name)); err != nil {
			return err
		}
		if err := m.encode(enc, &r); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom reads an answer. A member that does not exist is an error, since
// it may be a deny that was misspelt; one that is null is absent.
func (r *Result) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*r = Result{}
	if tok, err := dec.ReadToken(); err != nil {
		return err
	} else if tok.Kind() != jsontext.KindBeginObject {
		return fmt.Errorf("an answer is an object, not %v", tok.Kind())
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := tok.String()
		m := answerMember(name)
		switch {
		case m == nil:
			return fmt.Errorf("unknown object member name %q", name)
		case dec.PeekKind() == jsontext.KindNull:
			err = dec.SkipValue()
		default:
			err = m.decode(dec, r)
		}
		if err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// MarshalJSONTo writes true or false, and null when it is unset.
func (t Tri) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch t {
	case Yes:
		return enc.WriteToken(jsontext.True)
	case No:
		return enc.WriteToken(jsontext.False)
	}
	return enc.WriteToken(jsontext.Null)
}

// UnmarshalJSONFrom reads true, false or null.
func (t *Tri) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var b *bool
	if err := json.UnmarshalDecode(dec, &b); err != nil {
		return err
	}
	switch {
	case b == nil:
		*t = Unset
	case *b:
		*t = Yes
	default:
		*t = No
	}
	return nil
}

// memberAt is the member of one place.
func memberAt[T any](name, doc string, p place[T]) AnswerMember {
	return AnswerMember{
		Name: name, Doc: doc, Type: reflect.TypeFor[T](), has: p.has,
		encode: func(enc *jsontext.Encoder, r *Result) error { return json.MarshalEncode(enc, *p.in(r, false)) },
		decode: func(dec *jsontext.Decoder, r *Result) error { return json.UnmarshalDecode(dec, p.in(r, true)) },
	}
}

// respelt is the member of a place whose type has another spelling here: W is the same
// struct with its tags.
func respelt[T, W any](name, doc string, p place[*T], out func(*T) *W, in func(*W) *T) AnswerMember {
	m := memberAt(name, doc, p)
	m.Type = reflect.TypeFor[*W]()
	m.encode = func(enc *jsontext.Encoder, r *Result) error { return json.MarshalEncode(enc, out(*p.in(r, false))) }
	m.decode = func(dec *jsontext.Decoder, r *Result) error {
		w := new(W)
		if err := json.UnmarshalDecode(dec, w); err != nil {
			return err
		}
		*p.in(r, true) = in(w)
		return nil
	}
	return m
}

// The structs of an answer as its JSON form spells them.
type (
	injectForm struct {
		CustomType string `json:"custom_type" doc:"kind of the message"`
		Content    JSON   `json:"content,omitzero" doc:"a string or an array of content blocks"`
		Display    bool   `json:"display,omitzero" doc:"whether the person sees it"`
		Details    JSON   `json:"details,omitzero" doc:"data that goes with it"`
	}
	compactionForm struct {
		Summary          string `json:"summary" doc:"the summary"`
		FirstKeptEntryID string `json:"first_kept_entry_id" doc:"id of the first entry that stays"`
		TokensBefore     int    `json:"tokens_before,omitzero" doc:"size of the context before"`
		Details          JSON   `json:"details,omitzero" doc:"data that goes with it"`
	}
	summaryForm struct {
		Summary string `json:"summary" doc:"the summary"`
		Details JSON   `json:"details,omitzero" doc:"data that goes with it"`
	}
	compactingForm struct {
		Context      []string `json:"context,omitempty" doc:"lines of context for the summary"`
		Prompt       string   `json:"prompt,omitzero" doc:"the prompt that asks for it"`
		PreserveData JSON     `json:"preserve_data,omitzero" doc:"data that is kept beside it"`
	}
)

// present turns a null into an absent value.
func present(j JSON) JSON {
	if j.text == "null" {
		return JSON{}
	}
	return j
}

func injectMember(p place[*CustomMessage]) AnswerMember {
	return respelt("inject", "adds a message to the session before the model is called", p,
		func(m *CustomMessage) *injectForm { return (*injectForm)(m) },
		func(w *injectForm) *CustomMessage {
			w.Content, w.Details = present(w.Content), present(w.Details)
			return (*CustomMessage)(w)
		})
}

func compactionMember(p place[*Compaction]) AnswerMember {
	return respelt("compaction", "replaces the compaction that the host would make", p,
		func(c *Compaction) *compactionForm { return (*compactionForm)(c) },
		func(w *compactionForm) *Compaction {
			w.Details = present(w.Details)
			return (*Compaction)(w)
		})
}

func summaryMember(p place[*BranchSummary]) AnswerMember {
	return respelt("summary", "replaces the summary of a branch that is left", p,
		func(s *BranchSummary) *summaryForm { return (*summaryForm)(s) },
		func(w *summaryForm) *BranchSummary {
			w.Details = present(w.Details)
			return (*BranchSummary)(w)
		})
}

func compactingMember(p place[*CompactingAnswer]) AnswerMember {
	return respelt("compacting", "steers the compaction that the host makes", p,
		func(c *CompactingAnswer) *compactingForm { return (*compactingForm)(c) },
		func(w *compactingForm) *CompactingAnswer {
			w.PreserveData = present(w.PreserveData)
			return (*CompactingAnswer)(w)
		})
}
