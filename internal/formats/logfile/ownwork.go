package logfile

// OwnWork is a time of a message in us, below which the row of a bandwidth says how fast the program and its library post
// messages rather than how fast the network carries them; 0 if that is not known of the format.
//
// perftest posts some 8 million messages a second from one core (linux-rdma/perftest pull request 98, 32 B to 512 B: 124 ns
// a message whatever the size). MPI over UCX has 68 % of its plateau at 32 KiB, which take 2 us, 94 % at 128 KiB and 98 % at
// 256 KiB, which take 10 us (open-mpi/ompi issue 3216, osu_bibw on EDR). Both bounds are assumptions that lie above.
func (t *Table) OwnWork() float64 {
	switch {
	case t.Latency:
		return 0
	case t.Format == Perftest:
		return 1
	case t.Format == OSU || t.Format == UCXPerf:
		return 10
	}
	return 0
}

// Own reports whether a row of the table is the program's own work.
func (t *Table) Own(r *Row) bool {
	return r.Gbps > 0 && float64(r.Bytes)*8e-3/r.Gbps < t.OwnWork()
}
