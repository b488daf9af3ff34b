// Package serve simulates a job that answers requests with a language model: the keys and values
// of prompts move from the GPUs that computed them to those that compute the answers, packet by
// packet.
package serve
