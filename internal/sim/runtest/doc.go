// Package runtest has what tests share that run a scenario as a user does. A test of a
// room in internal/sim/run imports it from the room's external test package.
package runtest
