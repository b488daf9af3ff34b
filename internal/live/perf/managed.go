package perf

import (
	"context"

	"weft/verbs"
)

// selective reports whether both sides agreed on selective repeat, for all queue pairs.
func (e *ends) selective() bool {
	if e.conns == nil {
		return e.t.Selective
	}
	for _, c := range e.conns {
		if !c.SelectiveRepeat() {
			return false
		}
	}
	return true
}

// disconnect ends the connections of the connection manager. It does not wait long for a peer that
// has gone.
func disconnect(conns []*verbs.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	for _, c := range conns {
		_ = c.Disconnect(ctx) // a peer that has gone has disconnected, too
	}
}
