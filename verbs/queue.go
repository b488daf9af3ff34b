package verbs

import (
	"errors"
	"fmt"

	"weft/internal/sim/transport"
)

// sendRoom reports that the send queue is full.
func (q *QP) sendRoom() error {
	if q.sends.unfinished() >= uint64(q.attr.MaxSendWR) {
		return fmt.Errorf("%w: %d sends are in the queue, which has room for as many", ErrNoMemory,
			q.attr.MaxSendWR)
	}
	return nil
}

// enqueue passes a message to the transport.
func (q *QP) enqueue(rec *sendRecord, t transport.WorkRequest) error {
	q.sends.reserve(q.end.QP.Pending())
	t.ID = q.sends.next
	if err := q.end.QP.PostSend(q.pd.dev.port.Now(), t); err != nil {
		if errors.Is(err, transport.ErrQueueFull) {
			return fmt.Errorf("%w: %w", ErrNoMemory, err)
		}
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	q.sends.append(rec)
	return nil
}

// addRecv passes a receive to the transport.
func (q *QP) addRecv(rec *recvRecord) error {
	room := rec.total
	if q.attr.Type == UD {
		if room < grhBytes {
			return fmt.Errorf(
				"a receive of UD starts with %d bytes for the GRH, and this one has only %d bytes",
				grhBytes, room)
		}
		room -= grhBytes
	}
	if err := q.end.QP.PostRecv(q.pd.dev.port.Now(),
		transport.RecvRequest{ID: q.recvs.next, Length: uint32(room)}); err != nil {
		return err
	}
	q.recvs.append(rec)
	return nil
}

// forget drops all work, for RESET.
func (q *QP) forget() {
	q.sends.forget()
	q.recvs.forget()
}
