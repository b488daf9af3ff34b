// Package jobs has the verbs that simulate the jobs of a cluster: train, a training step; serve,
// requests of a serving job; replay, a trace or a file of another tool.
package jobs
