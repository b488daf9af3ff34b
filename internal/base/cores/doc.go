// Package cores shares independent pieces of work among the machine's cores.
//
// A piece that panics ends neither the process nor the others: they finish, and
// the caller gets the panic, where it can be told from bad input.
package cores
