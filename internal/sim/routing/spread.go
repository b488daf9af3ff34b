package routing

// spreadStatic chooses, among the minimal ports, by the destination's number: for shapes without a
// rule of their own.
type spreadStatic struct {
	w *wires
	c *class
}

func (st *spreadStatic) class(c *class, _ []int32) { st.c = c }

func (st *spreadStatic) port(_, k int, set []uint16) uint16 {
	return set[int(st.w.order[st.c.dests[k]])%len(set)]
}
