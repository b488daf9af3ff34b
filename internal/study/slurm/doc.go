// Package slurm writes array jobs of Slurm whose elements share work through a folder, as package ledger has it.
//
// # Model
//
// Each element runs the same command, with a name of its own: the job and the number in the array. A requeued
// element has the same name, so its next process takes over what the one before held. A process that a
// signal has killed is begun again within the element. The time of the element is measured by the
// shell's own clock. A second job, which begins when all elements have ended, collects.
//
// # Limits
//
// The program and the folder are on a file system that all nodes share, under the same path.
package slurm
