// Package hpccrun runs cases of the simulator that was published with HPCC (package
// hpcc) on weft's own models. What is peculiar to that simulator is the value of a
// parameter (models.go); the comment of Run says what stays weft's.
package hpccrun
