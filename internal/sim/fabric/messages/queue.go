package messages

import (
	"weft/internal/sim/state"
	"weft/units"
)

// Message is a message that a NIC posted: one work request, or several of which the last is
// signaled.
type Message struct {
	From, To        int32     // the posting NIC and its peer
	QP              units.QPN // depends on the order in which connections were made
	Entropy         uint32    // of the connection
	Class           uint8
	Read            bool // its data comes from the peer
	Bytes           int64
	Posted, Ended   units.Time // the first work request; the completion at the poster
	Retransmissions uint32
}

// Queues are the messages in progress of a NIC, by queue pair or socket.
type Queues []queue

// queue is the messages in progress of a queue pair or socket, in order.
type queue struct {
	open     []Message // the last may be incomplete
	partial  bool      // its signaled work request is still to come
	repeated uint32    // retransmissions of the messages before
}

// Post records a work request of a number of bytes; m describes its message if the request is the
// first of it. more says that another one of the message follows.
func (q *Queues) Post(m *Message, bytes int64, more bool) {
	for len(*q) <= int(m.QP) {
		*q = append(*q, queue{})
	}
	own := &(*q)[m.QP]
	if !own.partial {
		own.open = append(own.open, *m)
	}
	own.open[len(own.open)-1].Bytes += bytes
	own.partial = more
}

// End removes the oldest message of a queue pair, which ends now. retransmitted is the number of
// packets that the queue pair has retransmitted so far. ok is false if there is no message.
func (q Queues) End(id units.QPN, now units.Time, retransmitted uint32) (m Message, ok bool) {
	if int(id) >= len(q) || len(q[id].open) == 0 {
		return Message{}, false
	}
	own := &q[id]
	m = own.open[0]
	own.open = append(own.open[:0], own.open[1:]...)
	m.Ended, m.Retransmissions = now, retransmitted-own.repeated
	own.repeated = retransmitted
	return m, true
}

// WalkState visits the messages in progress.
func (q *Queues) WalkState(w *state.Walk) {
	w.Word(uint64(len(*q)))
	for i := range *q {
		own := &(*q)[i]
		w.Word(uint64(len(own.open)))
		for j := range own.open {
			w.Word(uint64(own.open[j].Bytes))
			w.Past(&own.open[j].Posted) // it is the same while a long message is under way
		}
		w.Visit(&own.partial)
		w.Word(uint64(own.repeated))
	}
}
