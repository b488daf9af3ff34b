// Package training simulates a step of a training job: the graph of its computations and
// communications (package workload/llm), whose distinct phases are simulated packet by packet, and
// a breakdown of the step's time. Noise is drawn afterwards over steps with the same
// communications.
package training
