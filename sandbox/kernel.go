package sandbox

import "fmt"

// Support says what the system offers.
type Support struct {
	// Name is the mechanism, "" where there is none, and ABI its version, 0 where it has
	// no versions.
	Name string
	ABI  int
	// Lost says what the mechanism does not hold, in words.
	Lost []string
}

// String names the mechanism and its version.
func (s Support) String() string {
	switch {
	case s.Name == "":
		return "none"
	case s.ABI > 0:
		return fmt.Sprintf("%s, version %d", s.Name, s.ABI)
	}
	return s.Name
}

// losses is what Landlock does not hold before a version of it; 0 is any. docs/sandbox.md
// has the same list.
var losses = []struct {
	before int
	what   string
}{
	{2, "files cannot be moved or linked from one directory to another, though both may be written"},
	{3, "files outside can be truncated, though not written"},
	{4, "TCP cannot be forbidden"},
	{9, "Unix sockets outside can be connected to by their path: what listens there acts without the sandbox"},
	{0, "owners, modes, times and attributes of files outside can be changed"},
	{0, "abstract Unix sockets, UDP and other protocols than TCP"},
	{0, "processes outside can be sent signals, and made likelier to be ended when memory runs out"},
	{0, "terminals of the same person can be written to, and devices that can be opened be controlled (ioctl)"},
	{0, "memory, queues and keys that processes share without a file (System V IPC, keyrings)"},
}

// landlock is what a version of it offers.
func landlock(abi int) Support {
	s := Support{Name: "Landlock", ABI: abi}
	for _, l := range losses {
		if abi < l.before || l.before == 0 {
			s.Lost = append(s.Lost, l.what)
		}
	}
	return s
}
