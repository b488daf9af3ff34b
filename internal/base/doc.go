// Package base is the wing that several other wings stand on. It knows neither a fabric
// nor a simulation.
//
// # Rooms
//
//	topology  the graph of a network, the builders of its shapes, division into partitions;
//	cabling   a fabric as it is cabled: devices, ports, cables, whatever named them;
//	cabling/planfile  plans of cables and neighbours that switches see, read as such a fabric
//	portstate  what tools print about ports: counters, speeds, error rates, modules
//	cores     independent work shared among processor cores
//	cycles    directed graphs searched for a circle: the prover of credit loops
//	canon     the bytes that identify a value
//	sorting   lists in order, by one copy of the code for all types
//	stats     confidence intervals and quantiles
//	door      whom a listener lets in, and that it goes on
//	jsontext  values as JSON that people read, too
//	packed    files that may be compressed
//	regular   files of folders that anybody may have filled
//	shellwords  a line of a shell as words
//	wording   pieces of messages: a short quotation, a number with its noun
//
// # Imports
//
// base imports units alone. formats, ib, sim, study and face import it; verbs, live and cmd its
// door. A package belongs here when two wings need it that may not import each other; otherwise it
// belongs to the wing that uses it.
package base
