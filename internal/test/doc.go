// Package test is the wing of what tests share: scenarios, subnets, real programs that a test
// starts, recorded conversations. No part of the program imports it.
//
// # Rooms
//
//	golden        files that tests compare with and rewrite
//	topologytest  shapes drawn at random
//	routetest     subnets of graphs, tables of OpenSM and verdicts of ibdmchk
//	simtest       scenarios
//	runtest       runs of scenarios
//	randomtest    random scenarios from seeds, and tests that hold for all of them
//	wiretest      recorded conversations of verbs
//	doortest      a machine without free descriptors
//	ibsimtest     ibsim and programs of InfiniBand, run on this machine
//	slurmtest     a Slurm, run on this machine
package test
