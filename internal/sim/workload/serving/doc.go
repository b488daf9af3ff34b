// Package serving describes a job that answers requests with a language model: the keys and values
// of its tokens and how they are divided over GPUs (kv.go), and its scheduler (scheduler.go).
//
// # The scheduler
//
// Requests wait in one line. An instance of prefill begins an iteration when its first stage is free: it
// takes the prompts that it has begun, then prompts from the line, up to a number of tokens; a prompt
// that does not fit goes on in the next iteration (chunked prefill). A prompt may be begun if there is room for its keys
// and values. When it is computed, its keys and values go to the group of decode with the fewest
// tokens that has room for prompt and answer; if none has, it waits in a second line. Or they leave layer
// by layer while it is computed, if there is room when it begins. When they have arrived, the first token
// is told, and the request takes part in decode's iterations, each of which computes a token of
// each of its requests (continuous batching).
//
// An instance can have groups with requests of their own (attention with data parallelism), which
// begin and end their iterations together.
//
// The scheduler has no I/O: a World gives the time and carries keys and values. On a fabric it is an
// application of the simulated network; Alone is a world without one. Without decode and with one
// request at a time it is a queue with k servers, which the tests compare with closed forms.
//
// # What is left out
//
// Preemption: a request has its place to the end. Prefill and decode in one instance. Speculative
// tokens.
package serving
