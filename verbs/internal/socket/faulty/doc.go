// Package faulty is a network in memory between live ports that loses, duplicates, delays,
// reorders, marks and damages packets, by a seed. Tests use it.
package faulty
