// Package archtest holds the architecture as tests: which package may import
// which, and why; what the simulated world must not touch; how long a function
// may grow. The rules are data, in rules_test.go. A wing, and a room that
// may import less than its wing, has its line there before its first import.
package archtest
