// Package study is the wing for questions that need many simulations, or a comparison with
// measurements.
//
// # Rooms
//
//	plan        designs of a network: from constraints to candidates, bill of materials, power, cost
//	advise      InfiniBand or RoCE v2, by stated weights, and where the choice turns
//	quantity    the list of what is measured of a run
//	sweep       the variants of a scenario, in one table
//	slurm       array jobs whose elements share work
//	kubernetes  Indexed Jobs whose pods share work
//	many        the simulations of a study, on cores or shared among processes
//	ledger      work that processes share through a folder
//	cache       results of simulations that later runs know
//	tune        a search of a scenario's parameters, confirmed on held-out seeds
//	training    a step of a training job, from its phases
//	serve       a job that answers requests, its transfers of keys and values on the fabric
//	replay      a workload of another program, from its phases
//	latency     the time of one small message, term by term
//	collisions  the cost of ECMP's collisions over hash seeds
//	calibrate   measured logs compared with predictions: causes, and fitted constants
//	evidence    what files beside a log say: pairs of nodes, late ranks, ports, a second log
//	peers       ports, GPUs and ranks whose counters do not look like their peers'
//	predict     a network with one measured pair
//	traffic     packets of a simulation at the ports that they pass, for the emulated subnet
//	cablehealth the bad cables and ports of a fabric, from what tools print about them
//	audit       zones of a scenario proved apart, or the path that connects them
//	cablediff   a fabric compared with its plan, cable by cable
//	faultcost   what faults of a RoCE configuration cost a job on the fabric that has them
//	roceexport  the fabric of a scenario as configuration of switches and hosts
//	headroom    the PFC headroom of a link, found in the simulator
//	hpccrun     cases of the simulator published with HPCC
//	measured    published tables of collectives, with weft's times
//	validate    weft against closed forms, other simulators and measurements
//
// # Imports
//
// study imports sim and the wings below it, and formats. Only face imports study. A study returns
// values; it prints nothing.
package study
