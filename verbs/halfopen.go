package verbs

import (
	"container/list"
	"net/netip"
)

// halfOpen are the peers' requests that are not yet connections, the oldest first. The manager's
// lock guards it.
type halfOpen struct {
	conns  list.List          // of *Conn
	source map[netip.Addr]int // the number of each peer's address
}

// hasRoom reports whether a peer's address may have another request. With maxHalfOpen in all the
// oldest makes room (oldest).
func (h *halfOpen) hasRoom(from netip.Addr) bool { return h.source[from] < maxFromOne }

// oldest is the request that makes room for the next one; nil if there is room.
func (h *halfOpen) oldest() *Conn {
	if h.conns.Len() < maxHalfOpen {
		return nil
	}
	c, _ := h.conns.Front().Value.(*Conn)
	return c
}

func (h *halfOpen) append(c *Conn) {
	c.half = h.conns.PushBack(c)
	h.source[c.peer.Addr()]++
}

// remove removes a request, if it is there.
func (h *halfOpen) remove(c *Conn) {
	if c.half == nil {
		return
	}
	h.conns.Remove(c.half)
	c.half = nil
	from := c.peer.Addr()
	if h.source[from]--; h.source[from] == 0 {
		delete(h.source, from)
	}
}
