// Package protocol describes the protocols that a fabric can run, each as one value in a file of
// its own: its names, its ports, its frames, its transport, and its abilities.
//
// Code asks a description for an ability, such as ServiceLevels or CNPs, and not for a name. A new
// protocol is a file with its description and a place in All; a new ability is a new field here.
//
// Rates, buffers, thresholds and latencies are not part of a protocol: they are facts of the
// catalog.
package protocol
