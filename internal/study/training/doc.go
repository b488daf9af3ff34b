// Package training simulates a step of a training job: the graph of its computations
// and communications (package workload/llm), whose distinct phases are simulated packet
// by packet, and the account of where the time of a step goes. Noise is drawn afterwards
// over steps with the same communications.
package training
