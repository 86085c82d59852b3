// Package process runs child processes that may misbehave.
//
// A hook is a program somebody else wrote. It may ignore its input, ignore
// SIGTERM, leave children behind that hold its pipes, print a gigabyte, or
// never start at all. This package turns each of those into a value the caller
// can branch on, within a bounded time:
//
//   - [Run] starts a process, feeds it, reads it and returns its [Exit].
//   - [Start] gives the running [Process]: it can be started ahead of its input
//     ([Process.Feed]), looked at while it runs ([Process.FirstLine]), put under
//     another context ([Process.Govern]) or kept as a worker that speaks over
//     its pipes.
//   - A [Pool] keeps processes that were started ahead of their input, and [Ahead]
//     runs one hook by them.
//   - A process that could not be started is a [StartError] with a [Reason];
//     everything that happened after the start is in the Exit.
//
// # Guarantees
//
//  1. A process gets its whole standard input and then end of file. Not reading
//     it is not an error, and time spent writing counts against the context.
//  2. Output is always read to its end. What goes beyond the limit is counted
//     and dropped, so that the process is never blocked by us; standard output
//     keeps its head, standard error its tail.
//  3. When the context ends, the process group gets SIGTERM, then, after
//     [Spec.Grace], the whole tree gets SIGKILL. On Linux the tree includes
//     children that left session, environment, pipes and parent behind: a limit
//     without effect marks them. It is set right after the start and before there
//     is input: what a process starts before that is known by what it kept of
//     these, and what changes the limit too. What could not be killed is named in
//     [Exit.Survivors].
//  4. A child that outlives the process and holds its pipes delays the result
//     by [Spec.Drain] of silence, eight times that in all, and never longer. What
//     a process that ended by itself leaves behind is then killed and named in
//     [Exit.Left], unless [Spec.Leave] lets it go on: what is in its group or
//     holds its pipes and, where the program called [Adopt], what carries its
//     mark. What none of this tells from others, [EndAdopted] ends, or, when the
//     program was killed, the process that [Watch] is about.
//  5. No process group is signalled once its leader has been reaped, and no
//     program is ever started twice.
//  6. Death by signal has the code -1, never 0.
//
// # What a child inherits
//
// Descriptors 0 to 2 only (see [SealFDs] for those that Go did not open), a
// session and process group of its own, no controlling terminal, and the
// environment of [Spec.Env]; [Environ] builds one without credentials. On
// Linux, a child dies with the engine: the goroutine that starts it keeps its
// thread until the child has ended, since the kernel ties the parent-death
// signal to the thread and not to the process.
//
// With [Spec.Wall] the kernel holds what the process may write; see package sandbox. It is
// the wall's thread then that the parent-death signal is tied to.
//
// On Windows a job object stands in for the process group. There is no polite
// signal there, so [Spec.Grace] is not used.
package process
