package prove

// tooLong shows packets that are longer than the port accepts: all are dropped and sent again until
// the sender gives up.
func tooLong(m *maker) error {
	m.incast(senders)
	t := &m.finding.Traffic
	for _, s := range []*Side{&m.Before, &m.After} {
		s.TCP, s.MTU = t.TCP, t.MTU
	}
	m.After.MTU = t.MendedMTU
	m.Shows = []Figure{Packets, Time, Dropped, Resent}
	return nil
}
