// Package simtest has what tests of simulations share: scenarios that are written where
// they are used.
package simtest
