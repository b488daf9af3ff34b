// Package runs has the verbs about a single run: compare, run, explain, bench, latency and topology,
// and catalog, which lists what scenarios can name. A verb is a file with its name; bench has
// several.
package runs
