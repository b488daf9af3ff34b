// Package requests reads traces of requests to language models: the time at which each arrived, the
// tokens of its prompt and of its answer.
//
//   - Azure's public traces (Azure/AzurePublicDataset, AzureLLMInferenceTrace_*.csv): a line of names,
//     then TIMESTAMP, ContextTokens, GeneratedTokens. A time is a date and a time of day with up to
//     nine digits of a second, with or without a zone.
//   - Mooncake's traces (kvcache-ai/Mooncake, *.jsonl): an object on each line with timestamp in
//     milliseconds, input_length, output_length, and hash_ids, which name the blocks of 512 tokens of
//     the prompt: equal numbers are equal blocks after equal blocks.
//
// Requests must be in the order of their times. Left out: what a request says, sessions, and requests
// that failed.
package requests
