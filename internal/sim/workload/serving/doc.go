// Package serving describes a job that answers requests with a language model: the keys and values
// of its tokens and how they are divided over GPUs (kv.go).
package serving
