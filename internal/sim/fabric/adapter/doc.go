// Package adapter is the parts of a network adapter that delay or frame packets and know no network: the
// store of queue pair contexts (contexts.go), the bus slot that several NICs share (slot.go), the
// framing of iWARP (mpa.go).
package adapter
