// Package study is the wing of questions that take many simulations, or other measurements
// beside one.
//
// # Rooms
//
//	plan        designs of a network: from constraints to candidates, bill of materials, power, cost
//	advise      InfiniBand or RoCE v2, by stated weights, and where the choice turns
//	tune        a search of a scenario's parameters, proved on seeds that were held out
//	training    a step of a training job, from its phases
//	replay      a workload of another program, from its phases
//	latency     the time of one small message, term by term
//	collisions  the cost of ECMP's collisions over hash seeds
//	calibrate   measured logs beside predictions: causes, and constants that are fitted
//	predict     a network of which one pair was measured
//	traffic     packets of a simulation at the ports that they pass, for the emulated subnet
//	audit       zones of a scenario proved apart, or the path that joins them
//	roceexport  the fabric of a scenario as configuration of switches and hosts
//	hpccrun     cases of the simulator that was published with HPCC
//	validate    weft against closed forms, other simulators and measurements
//
// # Imports
//
// study imports sim and what sim stands on, and formats. face alone imports it. A study
// returns values; it prints nothing.
package study
