package hook_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hookline-dev/hookline/hook"
)

// alphabet are the things that an answer can say, each filled with values of its own
// for a number, so that it can be told whose came through.
var alphabet = func() map[string]func(n int) hook.Result {
	m := map[string]func(n int) hook.Result{
		"nothing": func(int) hook.Result { return hook.Result{} },
		"allow": func(n int) hook.Result {
			return hook.Result{Decision: hook.DecisionAllow, Reason: fmt.Sprint("allow ", n)}
		},
		"ask": func(n int) hook.Result { return hook.Ask(fmt.Sprint("ask ", n)) },
		"defer": func(n int) hook.Result {
			return hook.Result{Decision: hook.DecisionDefer, Reason: fmt.Sprint("defer ", n)}
		},
		"deny":    func(n int) hook.Result { return hook.Deny(fmt.Sprint("deny ", n)) },
		"no":      func(int) hook.Result { return hook.Deny("") },
		"goes on": func(int) hook.Result { return hook.Result{Continue: hook.Yes} },
		"halts":   func(n int) hook.Result { return hook.Result{Continue: hook.No, StopReason: fmt.Sprint("stop ", n)} },
		"message": func(n int) hook.Result { return hook.Result{SystemMessage: fmt.Sprint("message ", n)} },
		"notice":  func(n int) hook.Result { return hook.Result{Notice: fmt.Sprint("notice ", n)} },
		"rewrite": func(n int) hook.Result { return hook.Result{UpdatedInput: hook.RawJSON(fmt.Sprintf(`{"n":%d}`, n))} },
		"patch": func(n int) hook.Result {
			return hook.Result{UpdatedInput: hook.RawJSON(fmt.Sprintf(`{"n%d":%d}`, n, n)), InputPatch: true}
		},
		"answers": func(n int) hook.Result {
			h := &hook.HostEffects{ElicitationAction: fmt.Sprint("accept ", n)}
			if n%2 == 0 {
				h.ElicitationContent = hook.RawJSON(fmt.Sprint(n))
			}
			return hook.Result{Host: h}
		},
	}
	for _, p := range simple {
		m[p.path] = func(n int) hook.Result {
			r := hook.Result{Host: &hook.HostEffects{}}
			fillWith(member(reflect.ValueOf(&r), p.path), n)
			return r
		}
	}
	return m
}()

// fillWith sets a value that tells its number.
func fillWith(v reflect.Value, n int) {
	switch v.Addr().Interface().(type) {
	case *hook.JSON:
		v.Set(reflect.ValueOf(hook.RawJSON(fmt.Sprintf(`{"value":%d}`, n))))
		return
	case *hook.Tri:
		v.Set(reflect.ValueOf(hook.Tri(1 + n%2)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("value ", n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillWith(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fillWith(v.Field(i), n)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fillWith(v.Index(0), n)
		}
	}
}

// TestAlphabetSaysEverything holds the model to the type: a part of an answer that no
// letter says is not tested.
func TestAlphabetSaysEverything(t *testing.T) {
	said := map[string]bool{"Host": true, "Async": true} // Async is not part of the merged answer
	for _, letter := range alphabet {
		r := letter(2)
		if r.Host == nil {
			r.Host = &hook.HostEffects{}
		}
		for _, v := range []reflect.Value{reflect.ValueOf(r), reflect.ValueOf(*r.Host)} {
			for f, value := range v.Fields() {
				said[f.Name] = said[f.Name] || !value.IsZero()
			}
		}
	}
	for name, ok := range said {
		if !ok {
			t.Errorf("no answer here has %s: write a row of simple in reference_test.go", name)
		}
	}
}

var sameJSON = cmp.Comparer(func(a, b hook.JSON) bool { return a == b })

const before = `{"n":-1}`

// fataler is what a test and a drawn one have in common.
type fataler interface{ Fatal(args ...any) }

// foldOf fires an event at a group of hooks; delays are how long each takes.
func foldOf(t fataler, ev hook.Event, flow hook.Flow, hooks []asked, delays []time.Duration) (hook.Outcome, hook.Input) {
	reg := hook.NewRegistry()
	g := reg.Group("g", flow, 0)
	for i, h := range hooks {
		opts := []hook.Option{hook.InGroup(g), hook.Name(fmt.Sprint("hook", i)), hook.OnFailure(hook.FailOpen)}
		if h.closed {
			opts = append(opts, hook.OnFailure(hook.FailClosed))
		}
		if h.observer {
			opts = append(opts, hook.Observe())
		}
		if delays != nil {
			opts = append(opts, hook.Timeout(time.Minute))
		}
		hook.OnEvent(reg, func(context.Context, hook.Input) (hook.Result, error) {
			if delays != nil {
				time.Sleep(delays[i])
			}
			if h.fails {
				return hook.Allow(), errors.New("boom")
			}
			return h.answer, nil
		}, []hook.Event{ev}, opts...)
	}
	eng := hook.New(reg)
	defer eng.Close()
	in, err := hook.UnmarshalInput(ev, []byte(`{"tool_input":`+before+`,"payload":`+before+`,"tool":`+before+`}`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := eng.Fire(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out, in
}

// differs compares what hooks came to with what they should have.
func differs(t fataler, ev hook.Event, flow hook.Flow, hooks []asked, delays []time.Duration) string {
	out, in := foldOf(t, ev, flow, hooks, delays)
	want := reference(ev, flow, hook.RawJSON(before), hooks)
	if out.Host == nil {
		out.Host = &hook.HostEffects{}
	}
	if strings.Contains(out.Reason, "could not answer") {
		out.Reason = "could not answer"
	}
	out.Notices = slices.DeleteFunc(out.Notices, func(s string) bool { return !strings.HasPrefix(s, "notice ") })
	out.Runs = nil
	diff := cmp.Diff(want, out, sameJSON, cmpopts.EquateEmpty())
	return diff + seenBy(in, &want)
}

// seenBy says where the input that the caller sees is not what the outcome says.
func seenBy(in hook.Input, out *hook.Outcome) string {
	b, err := hook.MarshalInput(in)
	if err != nil {
		return err.Error()
	}
	text := string(b)
	for _, want := range []struct {
		changed bool
		value   any
	}{
		{out.InputChanged, out.UpdatedInput},
		{!out.UpdatedOutput.IsZero(), out.UpdatedOutput},
		{out.UpdatedPrompt != nil, out.UpdatedPrompt},
		{out.Messages != nil, out.Messages},
	} {
		if w := hook.MustJSON(want.value).Raw(); want.changed && in.Event() != hook.EventUserBash && !strings.Contains(text, w) {
			return fmt.Sprintf("the input does not hold %s: %s", w, text)
		}
	}
	return ""
}

// orders are all sequences of n of the letters.
func orders(letters []string, n int) [][]string {
	if n == 0 {
		return [][]string{nil}
	}
	var out [][]string
	for _, head := range orders(letters, n-1) {
		for _, l := range letters {
			out = append(out, append(slices.Clone(head), l))
		}
	}
	return out
}

// honoured are the letters that have an effect on an event, sorted.
func honoured(ev hook.Event) []string {
	alone := func(r hook.Result) hook.Outcome {
		return reference(ev, hook.Sequential, hook.RawJSON(before), []asked{{answer: r}})
	}
	var out []string
	for name, letter := range alphabet {
		if !cmp.Equal(alone(letter(1)), alone(hook.Result{}), sameJSON) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func TestTwoAndThreeHooksFoldAsTheReferenceSaysInAllOrders(t *testing.T) {
	everywhere := honoured(hook.EventSessionEnd) // three kinds of events are enough for these
	for _, ev := range hook.Events() {
		names := slices.DeleteFunc(honoured(ev), func(name string) bool {
			return slices.Contains(everywhere, name) && ev != hook.EventPreToolUse && ev != hook.EventStop && ev != hook.EventPreCompact
		})
		sequences := orders(names, 2) // of all that the event takes
		for _, name := range names {
			letters := []string{"nothing", name, "deny"}
			sequences = slices.Concat(sequences, orders(letters, 2), orders(letters, 3))
		}
		for _, order := range sequences {
			hooks := make([]asked, len(order))
			for i, l := range order {
				hooks[i].answer = alphabet[l](i + 1)
			}
			for _, flow := range []hook.Flow{hook.Sequential, hook.DenyFast, hook.Parallel} {
				if d := differs(t, ev, flow, hooks, nil); d != "" {
					t.Fatalf("%v, %v, %q: %s", ev, flow, order, d)
				}
			}
		}
	}
}

func TestPartThatAnEventDoesNotTakeHasNoEffectAndIsReported(t *testing.T) {
	for _, ev := range hook.Events() {
		taken := honoured(ev)
		for name, letter := range alphabet {
			if name == "nothing" || slices.Contains(taken, name) {
				continue
			}
			hooks := []asked{{answer: letter(1)}}
			if d := differs(t, ev, hook.Sequential, hooks, nil); d != "" {
				t.Errorf("%v, %s: %s", ev, name, d)
			}
			if out, _ := foldOf(t, ev, hook.Sequential, hooks, nil); len(out.Runs[0].Ignored) == 0 {
				t.Errorf("%v: it is not reported that %s has no effect", ev, name)
			}
		}
	}
}

func TestFoldEqualsReferenceForAllAnswersAndFinishOrders(t *testing.T) {
	names := slices.Sorted(maps.Keys(alphabet))
	rapid.Check(t, func(t *rapid.T) {
		ev := rapid.SampledFrom(hook.Events()).Draw(t, "event")
		flow := hook.Flow(rapid.IntRange(0, 2).Draw(t, "flow"))
		hooks := make([]asked, rapid.IntRange(1, 5).Draw(t, "hooks"))
		var delays []time.Duration
		for i := range hooks {
			r := &hooks[i].answer
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 6, rapid.ID).Draw(t, "says") {
				mix(r, alphabet[name](i+1))
			}
			hooks[i].fails = rapid.IntRange(0, 4).Draw(t, "fails") == 0
			hooks[i].closed = rapid.Bool().Draw(t, "closed")
			hooks[i].observer = rapid.IntRange(0, 4).Draw(t, "observer") == 0
			delays = append(delays, time.Duration(rapid.IntRange(0, 300).Draw(t, "µs"))*time.Microsecond)
		}
		if !rapid.Bool().Draw(t, "deadlines") {
			delays = nil
		}
		if d := differs(t, ev, flow, hooks, delays); d != "" {
			t.Fatalf("%v, %v, %+v: %s", ev, flow, hooks, d)
		}
	})
}

// mix adds to an answer what another says and it does not.
func mix(r *hook.Result, more hook.Result) {
	for i, v := 0, reflect.ValueOf(r).Elem(); i < v.NumField(); i++ {
		switch f := reflect.ValueOf(more).Field(i); {
		case v.Field(i).IsZero():
			v.Field(i).Set(f)
		case v.Type().Field(i).Name == "Host" && !f.IsNil():
			for j := range f.Elem().NumField() {
				if own := v.Field(i).Elem().Field(j); own.IsZero() {
					own.Set(f.Elem().Field(j))
				}
			}
		}
	}
}

func TestAddingAHookNeverWeakensADeny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := hook.Flow(rapid.IntRange(0, 2).Draw(t, "flow"))
		at := rapid.IntRange(0, 3).Draw(t, "place of the deny")
		reg := hook.NewRegistry()
		g := reg.Group("g", flow, 0)
		for i := range 4 {
			r := hook.Result{Decision: hook.Decision(rapid.IntRange(0, 4).Draw(t, "decision"))}
			if rapid.Bool().Draw(t, "rewrite") {
				r.UpdatedInput = hook.RawJSON(fmt.Sprintf(`{"n":%d}`, i))
			}
			var err error
			if rapid.Bool().Draw(t, "fails") {
				err = errors.New("boom")
			}
			if i == at {
				r, err = hook.Deny("no"), nil
			}
			hook.On(reg, func(context.Context, pre) (hook.Result, error) { return r, err }, hook.InGroup(g))
		}
		eng := hook.New(reg)
		defer eng.Close()
		out, err := eng.Fire(context.Background(), bash("ls"))
		if err != nil || out.Decision != hook.DecisionDeny {
			t.Fatalf("decision %v, err %v", out.Decision, err)
		}
	})
}
