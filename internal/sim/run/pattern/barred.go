package pattern

// isBarred reports whether a message can never arrive: it is between NICs that partitions or VRFs
// separate, or its Q_Key differs from its receiver's.
func (r *patternRun) isBarred(flow int32) bool {
	f := &r.flows[flow]
	return f.qkey != 0 && f.qkey != r.verbs.QKey || r.net.Plan.Apart(f.from, f.to) != ""
}

// barred is the number of messages that did not arrive for that reason.
func (r *patternRun) barred() (n int) {
	for i := range r.flows {
		if r.left[i] > 0 && r.isBarred(int32(i)) {
			n++
		}
	}
	return n
}
