// Package draw draws the graph of a network as SVG: a topology of a scenario, or a
// subnet that was read from a file.
package draw
