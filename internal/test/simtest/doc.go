// Package simtest has the scenarios that tests of simulations share, and helpers to
// resolve them.
package simtest
