package collective

// reset empties a step and keeps its memory.
func (s *Step) reset() { *s = Step{Sends: s.Sends[:0]} }

// send adds a transfer, unless it is empty.
func (s *Step) send(t Transfer) {
	if t.Bytes > 0 {
		s.Sends = append(s.Sends, t)
	}
}

// recv adds a message to wait for, unless it is empty.
func (s *Step) recv(bytes int64) {
	if bytes > 0 {
		s.Recvs++
		s.RecvBytes += bytes
	}
}

// join makes one message of the transfers from index first on.
func (s *Step) join(first int) {
	for i := first; i < len(s.Sends)-1; i++ {
		s.Sends[i].More = true
	}
}
