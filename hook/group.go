package hook

// Flow is how the hooks of a group run.
type Flow uint8

// The flows.
const (
	// Sequential runs hooks in order; each sees the changes of those before it.
	// Continue No ends the group.
	Sequential Flow = iota
	// DenyFast is Sequential, and the first block, or the first hook that handled what
	// happened, ends the whole event.
	DenyFast
	// Parallel starts all hooks at once on the same input and merges their answers
	// in order. Of identical hooks one runs.
	Parallel
)

// String returns sequential, deny-fast or parallel.
func (f Flow) String() string {
	switch f {
	case DenyFast:
		return "deny-fast"
	case Parallel:
		return "parallel"
	}
	return "sequential"
}

// MarshalText returns the flow's name.
func (f Flow) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Group is a run of registrations with one flow. Groups run one after another, by
// rank and then in the order in which they were made.
type Group struct {
	name string
	flow Flow
	rank int
	seq  int
}

// Name returns the group's name.
func (g *Group) Name() string { return g.name }
