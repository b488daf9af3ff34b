package socket

import (
	"encoding/binary"

	"weft/units"
	"weft/verbs/internal/foreign"
	"weft/wire"
)

// Placement of READ responses by the kernel. A response is copied twice otherwise: into the port's buffer, and, once
// it is checked, to its place. While a READ is in flight, its next responses are known: queue pair, PSN, size
// and place. The port hands these places to the call that receives, so that the payload lands there, and headers
// and ICRCs in the port's buffer. Everything is then checked as always. A datagram other than the expected one is
// gathered into the port's buffer at once, and takes the usual way.
//
// So unchecked bytes reach only the part of a READ's buffer that waits for responses. Its content is undefined
// until the READ completes, and then every byte of it has come in a checked packet. SENDs have no such part, because a SEND's length is unknown before its end. WRITEs have none, because
// programs look at memory to see a WRITE arrive.

// Placer is a Conn that can put payload where a forecast says.
type Placer interface {
	Conn
	// Places reports whether all senders are on this machine: others do not get to write unchecked bytes.
	Places() bool
	// Expect gives the next Receive a forecast; nil is none. Receive leaves nothing of it.
	Expect(f *Forecast)
}

// Forecast is the packets that a Conn is expected to receive next. A datagram has some of them, in their order. Its
// bytes lie one behind another in a buffer, with a gap for each payload, which lies elsewhere.
type Forecast struct {
	of     *Endpoint
	slots  []slot
	high   []byte // the highest place
	came   int    // slots whose packets have come
	reads  int    // READs in slots
	hits   int    // datagrams that came as expected
	misses int    // long ones that did not
	gone   bool   // the kernel has found no memory at a place
}

// slot is an expected packet.
type slot struct {
	op     wire.Opcode
	to     units.QPN
	psn    units.PSN
	head   int    // bytes of its headers
	bytes  int    // of its payload
	memory []byte // the place of its payload; nil: the payload stays with the headers
}

func (s *slot) size() int { return s.head + s.bytes + wire.ICRCBytes }

// matches reports whether a BTH is the expected one. Only the fields that name the place count: the others are
// checked later.
func (s *slot) matches(bth []byte) bool {
	const number = 1<<24 - 1
	return wire.Opcode(bth[0]) == s.op && bth[1]>>4&3 == 0 && // no padding
		units.QPN(binary.BigEndian.Uint32(bth[4:])&number) == s.to && units.PSN(binary.BigEndian.Uint32(bth[8:])&number) == s.psn
}

// begin begins a forecast for a queue pair; nil is for none.
func (f *Forecast) begin(e *Endpoint) {
	clear(f.slots) // release deregistered memory
	*f = Forecast{of: e, slots: f.slots[:0]}
}

// Datagram appends to parts the pieces of buf, and the places, that the next datagram is received into. False
// says that none of its payload has a place.
func (f *Forecast) Datagram(buf []byte, parts [][]byte) ([][]byte, bool) {
	slots := f.datagram()
	from, to := 0, 0
	for i := range slots {
		s := &slots[i]
		if s.memory != nil {
			parts = append(parts, buf[from:to+s.head], s.memory)
			from = to + s.head + s.bytes
		}
		to += s.size()
	}
	return append(parts, buf[from:]), from > 0
}

// datagram is the most packets that the next datagram has: all of one size but the last, which may be shorter.
func (f *Forecast) datagram() []slot {
	for n := f.came; ; n++ {
		if n == len(f.slots) && !f.read() {
			return f.slots[f.came:]
		}
		slots := f.slots[f.came : n+1]
		first, packets := slots[0].size(), len(slots)
		if packets > maxSegments || packets*first > maxDatagram || slots[packets-1].size() > first || packets > 1 && slots[packets-2].size() < first {
			return slots[:packets-1]
		}
	}
}

// read adds responses of one more READ, and reports whether there are any. The places ascend, so that none
// lies on another: programs read into the same memory several times at once.
func (f *Forecast) read() bool {
	if f.of == nil || f.reads < 0 {
		return false
	}
	a, ok := f.of.QP.Awaits(f.reads)
	f.reads++
	if !ok || a.Length-a.Offset < leastPlaced {
		f.reads = -1
		return false
	}
	known := len(f.slots)
	memory := f.of.Owner.Landing(a.ID, a.Offset, a.Length-a.Offset)
	for a.Offset < a.Length {
		n := min(a.MTU, a.Length-a.Offset)
		if len(memory) < int(n) || n%4 != 0 {
			f.reads = -1
			break
		}
		op := response(a.Offset == 0, a.Offset+n == a.Length)
		s := slot{op: op, to: f.of.QP.QPN(), psn: a.PSN, head: op.HeaderBytes(), bytes: int(n)}
		if foreign.Behind(f.high, memory) {
			s.memory, f.high = memory[:n:n], memory[:n:n]
		}
		f.slots = append(f.slots, s)
		a.Offset, a.PSN, memory = a.Offset+n, a.PSN.Add(1), memory[n:]
	}
	return len(f.slots) > known
}

// response is the opcode of a READ response, the first or last of its message.
func response(first, last bool) wire.Opcode {
	switch {
	case first && last:
		return wire.RCReadResponseOnly
	case first:
		return wire.RCReadResponseFirst
	case last:
		return wire.RCReadResponseLast
	}
	return wire.RCReadResponseMiddle
}

// Settle compares a received datagram with the expected one. If it is another, its payload is gathered.
func (f *Forecast) Settle(in *Incoming) {
	slots := f.datagram()
	if n := matching(slots, in); n > 0 {
		f.hits++
		f.came += n
		in.placed = slots[:n]
		return
	}
	if len(in.Data) >= leastPlaced { // an acknowledgement costs nothing
		f.misses++
	}
	if !gather(slots, in.Data) {
		in.Data = nil
	}
}

// Gone says that the kernel has lost a datagram because memory was missing.
func (f *Forecast) Gone() { f.gone = true }

// matching is the number of the packets of a datagram if all of them are as expected, 0 otherwise.
func matching(slots []slot, in *Incoming) (n int) {
	for rest := in.Data; len(rest) > 0; n++ {
		size := min(in.Segment, len(rest))
		if n == len(slots) || size != slots[n].size() || !slots[n].matches(rest) {
			return 0
		}
		rest = rest[size:]
	}
	return n
}

// gather copies payload from the places to the datagram; false says that it is no longer there.
func gather(slots []slot, data []byte) bool {
	for i := range slots {
		s := &slots[i]
		if len(data) <= s.head {
			break
		}
		if s.memory != nil && !foreign.Copy(data[s.head:], s.memory) {
			return false
		}
		data = data[min(s.size(), len(data)):]
	}
	return true
}

// foresight makes forecasts for the queue pair whose READ was last answered.
type foresight struct {
	of       *Endpoint
	forecast Forecast
	pause    int // after wrong forecasts, the number of receptions without one
	left     int // of them
}

// next is a forecast, nil if there is none.
func (g *foresight) next() *Forecast {
	f := &g.forecast
	if g.of == nil || g.left > 0 {
		f.begin(nil)
		return nil
	}
	f.begin(g.of)
	return f
}

// taken follows a READ response that has been taken.
func (g *foresight) taken(e *Endpoint) {
	if e.RemoteSRQ == nil && !e.lossy {
		g.of = e
	}
}

// learn follows a reception of n datagrams.
func (g *foresight) learn(n int) {
	f := &g.forecast
	if n > 0 && g.left > 0 {
		g.left--
	}
	switch {
	case f.gone:
		f.of.lossy, g.of = true, nil
	case f.misses > f.hits:
		g.pause = min(2*g.pause+1, longestPause)
		g.left = g.pause
	case f.hits > 0:
		g.pause = 0
	}
}

// forget ends forecasts for a queue pair.
func (g *foresight) forget(e *Endpoint) {
	if g.of == e {
		g.forecast.begin(nil)
		g.of = nil
	}
}
