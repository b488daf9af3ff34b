package goal

import "weft/internal/formats/source"

// describe states the meaning of the numbers and the assumptions.
func (r *schedule) describe(w *source.Workload) {
	w.Units = []string{"send and recv: bytes", "calc: nanoseconds, LogGOPSim's unit of time"}
	w.Assume("rank i is the i-th GPU of the cluster, node by node; where no cluster is given a node has one GPU and one NIC")
	w.Assume("operations that no requires joins run at the same time, calc too: LogGOPSim has those of one CPU take turns")
	w.Assume("the LogGOPS parameters (L, o, g, G, O, S) are not in the file: NICs, links and switches are the scenario's")
	if r.sendBefore {
		w.Assume("what requires a send begins when its data is at the receiver; in LogGOPSim an eager send, of at most S bytes, is over once the CPU has handed it over")
	}
	if r.starting {
		w.Assume("what irequires an operation begins when all that the other requires is over")
	}
	if len(r.any) > 0 {
		w.Assume("a receive from any source or of any tag takes, of the sends of its size that no other receive names, the first by rank and place in the file; in reality it is the first to arrive")
	}
	if r.cpus {
		w.Assume("the cpu of an operation is ignored")
	}
}
