// Package runtest has the helpers of tests that run a scenario as a user does, and a store of known
// simulations for one test. A test of
// a room in internal/sim/run imports it from the room's external test package.
package runtest
