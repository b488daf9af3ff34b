package scenario

// checkRecovery checks what is lost and how it is sent again.
func (r *resolver) checkRecovery(path string, f *Fabric) {
	if f.Link.ErrorRate.Cmp(1, 1) > 0 {
		r.complain(path+".link.error-rate", "%s is more than 1", f.Link.ErrorRate)
	}
	m := f.Routing.Mode
	if f.Transport.Recovery == SelectiveRepeat && (m == Adaptive || m == Spray) {
		r.complain(path+".transport.recovery", "selective repeat takes a packet that comes ahead for a sign of loss, and with routing by packet (%s) they do: "+
			"set routing.mode to deterministic, ecmp or flowlet, or recovery: go-back-n", m)
	}
}
