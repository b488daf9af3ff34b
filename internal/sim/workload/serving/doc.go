// Package serving describes a job that answers requests with a language model: the keys and values
// of its tokens and how they are divided over GPUs (kv.go), and its scheduler (scheduler.go: how
// far requests are; batch.go: iterations; place.go: places in decode).
//
// # The scheduler
//
// Requests wait in one line. An instance of prefill begins an iteration when its first stage is free: it
// takes the prompts that it has begun, then prompts from the line, up to a number of tokens; a prompt
// that does not fit goes on in the next iteration (chunked prefill). A prompt may be begun if there is room for its keys
// and values. When it is computed, its keys and values go to the group of decode with the fewest
// tokens that has room for the prompt; if none has, it waits in a second line. Or they leave layer
// by layer while it is computed, if there is room when it begins. When they have arrived, the first token
// is told, and the request takes part in decode's iterations, each of which computes a token of
// each of its requests (continuous batching).
//
// An instance can have groups with requests of their own (attention with data parallelism), which
// begin and end their iterations together.
//
// Without decode the instances of prefill compute answers, too: an iteration takes the next token of each
// answer, then prompts, up to its number of tokens.
//
// # Guessed tokens
//
// With drafts each answer has further tokens in an iteration that were guessed (speculative decoding). The share that holds
// is given; it is the same for all answers, whose good steps lie at different times. What does not hold takes time and no
// room.
//
// # The front end
//
// A front end reads requests one after the other, those that wait there together, before their prompts wait in the line. Each
// group of prefill has one, and requests come to these in turn.
//
// A token reaches the client when the front end of its group has passed it on, one after the other. Tokens that wait there
// hold up no iteration, and no request: the tokenizer has a thread of its own. Real front ends join the waiting tokens of a
// request.
//
// # Memory
//
// Each token of an answer takes room. If a group has none, the request that came last gives up its keys and
// values, and waits. It goes on before any other begins there: its prompt and its answer so far are computed again, in the
// same instance. No others begin in an iteration for which requests were evicted. So does vLLM by default
// (vllm/v1/core/sched/scheduler.py: the last of the running is preempted, recomputed, and put at the head of the
// line). With Reserve a request has room for its whole answer from the beginning, as with TensorRT-LLM's
// GUARANTEED_NO_EVICT, and nothing is evicted. Blocks of the cache are not rounded up; nothing that was given up is found
// again in a prefix cache.
//
// # Stages
//
// An iteration goes through the stages of its instance, each of which works at one at a time. As many are under way as
// there are stages: micro-batches. Answers are divided among them evenly, as in SGLang (a micro-batch has at most
// the running requests over the stages); where the last token is not out, a stage has nothing to do.
//
// The scheduler has no I/O: a World gives the time and carries keys and values. On a fabric it is an
// application of the simulated network; Alone is a world without one. Without answers and with one
// request at a time it is a queue with k servers, which the tests compare with closed forms.
//
// # What is left out
//
// Which guesses hold; a copy of evicted keys and values in the host's memory.
package serving
