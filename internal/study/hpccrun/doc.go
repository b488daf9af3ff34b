// Package hpccrun runs cases of the simulator published with HPCC (package hpcc) on weft's own
// models. The simulator's peculiarities are parameters (models.go); the comment of Run names the
// differences that remain.
package hpccrun
