package fabric

// markForward sets FECN on a packet that leaves by an output lane, if the lane is congested. The
// packet's credits are already spent.
func (s *infinibandState) markForward(p *Partition, index int32, k *pkt) {
	f, l := &s.spec.FECN, &p.net.fecn[index]
	if !f.Leave(l, k.size) || !k.markable() || !f.Victims && !p.net.hasMore(p, index, k.size) || !f.MarksNext(l) {
		return
	}
	p.markCongestion(index, k)
}

// markCongestion sets the congestion mark of a packet that leaves by a lane, ECN or FECN.
func (p *Partition) markCongestion(index int32, k *pkt) {
	k.mark |= marked
	p.stats.Marked++
	if p.record != nil {
		p.record.Marked(index)
	}
}
