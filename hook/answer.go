package hook

import (
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"
)

// Field is one part of a Result, and Fields a set of them. The event table says
// with Fields what an event honours.
type (
	Field  uint64
	Fields = Field
)

// The parts of a Result, in the order of the answer table.
const (
	FieldAllow Field = 1 << iota
	FieldAsk
	FieldDefer
	FieldDeny
	FieldContinue // Continue Yes
	FieldHalt     // Continue No
	FieldSystemMessage
	FieldNotice
	FieldSuppressOutput
	FieldContext
	FieldUpdatedInput
	FieldUpdatedOutput
	FieldIsError
	FieldUpdatedPrompt
	FieldMessages
	FieldInject
	FieldFollowUps
	FieldCancel
	FieldSkipRestore
	FieldCompaction
	FieldSummary
	FieldCompacting
	FieldPermissionUpdates
	FieldInterrupt
	FieldSessionTitle
	FieldInitialUserMessage
	FieldWatchPaths
	FieldReloadSkills
	FieldSuppressOriginalPrompt
	FieldSystemPrompt
	FieldHandled
	FieldRetry
	FieldDisplayContent
	FieldWorktreePath
	FieldElicitation
	FieldClassifierContext
	FieldTerminalSequence
	FieldResourcePaths
	FieldMessage
)

const (
	// firstEffect begins the rows whose parts are HostEffects.
	firstEffect    = FieldSessionTitle
	fieldDecisions = FieldAllow | FieldAsk | FieldDefer | FieldDeny
	// fieldSpeech is what an observer may say too, and fieldEverywhere what every
	// event honours.
	fieldSpeech     = FieldSystemMessage | FieldNotice | FieldSuppressOutput | FieldTerminalSequence
	fieldEverywhere = fieldSpeech | FieldHalt
)

// AnswerPart is a row of the answer table: everything about one part of a Result
// that the engine, the records, the protocol of workers, the codecs and the
// documentation need to know.
type AnswerPart struct {
	Field Field
	// Name is the part's name in records and in the documentation.
	Name string
	// Folds says how the answers of several hooks become one.
	Folds string
	// Example is an answer that has this part only, in its JSON form.
	Example string
	// Members are the members of the JSON form that say it. Parts that exclude each
	// other share theirs.
	Members []AnswerMember
	// Type is the type of the part's value in an Outcome, and Of returns that value,
	// nil when the outcome has it not. Both are nil for a part that is not a value of its
	// own there, such as a decision or one of the HostEffects.
	Type reflect.Type
	Of   func(o *Outcome) any

	has  func(r *Result) bool
	drop func(r *Result)
	// fold makes the part of an answer, which has it, part of the outcome; unfold is the
	// way back.
	fold   func(f *fire, r *run)
	unfold func(o *Outcome, r *Result)
	clear  func(o *Outcome) // takes the part out of the outcome
}

// AnswerParts returns the rows of the answer table. They are not to be changed.
func AnswerParts() []AnswerPart { return answerTable() }

// Everywhere reports whether every event honours the part.
func (p *AnswerPart) Everywhere() bool { return p.Field&fieldEverywhere != 0 }

// Names returns the names of the parts in the set, in the order of the table.
func (f Field) Names() []string {
	var out []string
	rows := answerTable()
	for i := range rows {
		if f&rows[i].Field != 0 {
			out = append(out, rows[i].Name)
		}
	}
	return out
}

// Fields returns the set of parts that the answer has.
func (r *Result) Fields() Fields {
	if d := r.Decision; d != DecisionNone && d <= DecisionDeny { // and most often nothing else
		rest := *r
		rest.Decision, rest.Reason = DecisionNone, ""
		if rest.isZero() {
			return FieldAllow << (d - DecisionAllow)
		}
	}
	var f Fields
	rows := answerTable()
	for i := range rows {
		p := &rows[i]
		if p.Field == firstEffect && r.Host == nil {
			break
		}
		if p.has(r) {
			f |= p.Field
		}
	}
	return f
}

// isZero reports that nothing at all is set. It is asked of every function that ran,
// most of which have nothing to say, so it compares memory instead of going through
// the table. Where it errs, since padding is not zero, the table is asked.
func (r *Result) isZero() bool {
	type memory [unsafe.Sizeof(Result{})]byte
	return *(*memory)(unsafe.Pointer(r)) == *(*memory)(unsafe.Pointer(&noResult))
}

var noResult Result

// drop clears the parts of an answer that are in the set.
func (r *Result) drop(f Fields) {
	for ; f != 0; f &= f - 1 {
		answerTable()[bits.TrailingZeros64(uint64(f))].drop(r)
	}
}

// Result returns what the outcome says as one answer.
func (o *Outcome) Result() Result {
	var r Result
	rows := answerTable()
	for i := range rows {
		rows[i].unfold(o, &r)
	}
	return r
}

// Drop takes parts out of the outcome, for a host that has no place for them.
func (o *Outcome) Drop(f Fields) {
	for ; f != 0; f &= f - 1 {
		answerTable()[bits.TrailingZeros64(uint64(f))].clear(o)
	}
}

// Lost returns a remark for each part of the outcome that a codec did not write:
// what its dialect cannot say on this event.
func (o *Outcome) Lost(wrote Fields) []string {
	r := o.Result()
	var notes []string
	for _, name := range (r.Fields() &^ wrote).Names() {
		notes = append(notes, fmt.Sprintf("%s cannot be said in this dialect on %v", name, o.Event))
	}
	return notes
}

// place is where a value of a part stands in an answer and in an outcome.
type place[T any] struct {
	// in and out return nil when there is nothing to read; what they return for
	// writing is the answer's own.
	in  func(r *Result, write bool) *T
	out func(o *Outcome, write bool) *T
	set func(v *T) bool
	has func(r *Result) bool
	// effect says that it is one of the HostEffects.
	effect bool
}

// at is the place of a value that is there when it is not zero.
func at[T comparable](in func(r *Result) *T, out func(o *Outcome) *T) place[T] {
	var zero T
	p := anyAt(in, out, func(v *T) bool { return *v != zero })
	p.has = func(r *Result) bool { return *in(r) != zero }
	return p
}

// listAt is the place of a list that is there when it is not empty.
func listAt[T any](in func(r *Result) *[]T, out func(o *Outcome) *[]T) place[[]T] {
	return anyAt(in, out, func(v *[]T) bool { return len(*v) > 0 })
}

func anyAt[T any](in func(r *Result) *T, out func(o *Outcome) *T, set func(v *T) bool) place[T] {
	return place[T]{
		in:  func(r *Result, _ bool) *T { return in(r) },
		out: func(o *Outcome, _ bool) *T { return out(o) },
		set: set,
		has: func(r *Result) bool { return set(in(r)) },
	}
}

// effect is the place of a value among the effects that only single events know.
func effect[T comparable](of func(h *HostEffects) *T) place[T] {
	var zero T
	return anyEffect(of, func(v *T) bool { return *v != zero })
}

// anyEffect reaches into the effects. A hook may give the same ones twice, so that an
// answer's are copied for writing.
func anyEffect[T any](of func(h *HostEffects) *T, set func(v *T) bool) place[T] {
	in := func(r *Result, write bool) *T {
		switch {
		case r.Host == nil && !write:
			return nil
		case r.Host == nil:
			r.Host = &HostEffects{}
		case write:
			own := *r.Host
			r.Host = &own
		}
		return of(r.Host)
	}
	out := func(o *Outcome, write bool) *T {
		switch {
		case o.Host == nil && !write:
			return nil
		case o.Host == nil:
			o.Host = &HostEffects{}
		}
		return of(o.Host)
	}
	return place[T]{in, out, set, func(r *Result) bool { return r.Host != nil && set(of(r.Host)) }, true}
}

func (p place[T]) drop(r *Result) {
	if p.has(r) {
		var zero T
		*p.in(r, true) = zero
	}
}

func (p place[T]) unfold(o *Outcome, r *Result) {
	if v := p.out(o, false); v != nil && p.set(v) {
		*p.in(r, true) = *v
	}
}

func (p place[T]) clear(o *Outcome) {
	if v := p.out(o, false); v != nil {
		var zero T
		*v = zero
	}
}

// part completes a row whose part is one value.
func (p place[T]) part(row AnswerPart, fold func(have *T, v T)) AnswerPart {
	row.has, row.drop, row.unfold, row.clear = p.has, p.drop, p.unfold, p.clear
	if !p.effect {
		row.Type = reflect.TypeFor[T]()
		row.Of = func(o *Outcome) any {
			if v := p.out(o, false); p.set(v) {
				return *v
			}
			return nil
		}
	}
	row.fold = func(f *fire, r *run) { fold(p.out(&f.out, true), *p.in(&r.res, false)) }
	return row
}

// last completes a row of which the last hook's value counts. A mark that one has set
// is not taken back, since none is not a value.
func (p place[T]) last(row AnswerPart) AnswerPart {
	if _, mark := any(*new(T)).(bool); row.Folds == "" {
		row.Folds = map[bool]string{false: "the last one counts", true: "one is enough"}[mark]
	}
	return p.part(row, func(have *T, v T) { *have = v })
}

// all completes a row of which all hooks' values count.
func all[T any](p place[[]T], row AnswerPart) AnswerPart {
	row.Folds = "all, in order"
	return p.part(row, func(have *[]T, v []T) { *have = append(*have, v...) })
}
