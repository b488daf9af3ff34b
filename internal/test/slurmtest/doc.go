// Package slurmtest runs a Slurm of its own for a test: munge, the controller and, on request, the daemon of
// a node, all on this machine and as this user.
package slurmtest
