// Package cores shares independent pieces of work among the machine's cores.
//
// A panic in a piece ends neither the process nor the other pieces: they finish, and the caller
// gets the panic as a value of its own type, different from the error for bad input.
//
// A Crew says with how many workers a run goes on that divides one simulation among cores: on a busy machine
// with one.
package cores
