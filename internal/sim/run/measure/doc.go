// Package measure turns what a network has counted into results (package runstore): the
// times of its messages, its busiest links, who paused whom, and what it discarded for
// keys.
package measure
