// Package trust remembers which hooks a person approved, and says which may run.
//
// A hook of a project is somebody else's code until a person approves it. What is
// approved is content: the hook's definition and every file that runs with it, as
// bytes, mode and place in the project, within one project. When any of that
// changes the hook is untrusted again. Hooks of the person are trusted as long as
// nobody else could have written them; hooks of the machine's administrator always
// run.
//
// A [Store] keeps approvals in a file outside of every project. A [SessionGate]
// answers for one session: what was allowed when it started holds, and what is
// changed while it goes on, by a model for instance, runs only after it was
// approved. [Describe] and [Store.Status] show what would be approved and what
// changed since.
//
// No function of this package runs anything.
package trust
