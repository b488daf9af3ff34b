package pattern

// isBarred reports whether a message is between NICs that partitions or VRFs keep
// apart, or carries another Q_Key than its receiver's: it is sent and never ends.
func (r *patternRun) isBarred(flow int32) bool {
	f := &r.flows[flow]
	return f.qkey != 0 && f.qkey != r.verbs.QKey || r.net.Plan.Apart(f.from, f.to) != ""
}

// barred is how many messages did not arrive for that.
func (r *patternRun) barred() (n int) {
	for i := range r.flows {
		if r.left[i] > 0 && r.isBarred(int32(i)) {
			n++
		}
	}
	return n
}
