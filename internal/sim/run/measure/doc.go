// Package measure converts a network's counters to results (package runstore): the times of its
// messages, its busiest links, the causes of pauses, and packets discarded for their keys.
package measure
