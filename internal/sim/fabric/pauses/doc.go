// Package pauses records the PFC pauses of links and their causes, over a run. Nothing in a simulation
// depends on the record.
package pauses
