package channel

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"

	"weft/internal/sim/transport/cc"
	"weft/units"
)

// Control is a congestion control with its parameters, by the names of scenarios.
type Control struct {
	Name   string
	Link   cc.Link
	Values map[string]json.RawMessage
}

// NewControl is a registered congestion control with the values of its parameters.
func NewControl(of *cc.Control, link cc.Link, values cc.Values) (*Control, error) {
	c := &Control{Name: of.Name, Link: link, Values: map[string]json.RawMessage{}}
	for i := range of.Parameters {
		name := of.Parameters[i].Name
		text, err := json.Marshal(values[name])
		if err != nil {
			return nil, err
		}
		c.Values[name] = text
	}
	return c, nil
}

// Algorithms makes the congestion control of queue pairs, one a call.
func (c *Control) Algorithms() (func() cc.Algorithm, error) {
	of := cc.Registered(c.Name)
	if of == nil {
		return nil, fmt.Errorf("%w: there is no congestion control %q", ErrMessage, c.Name)
	}
	values := cc.Values{}
	for i := range of.Parameters {
		p := &of.Parameters[i]
		v := reflect.New(reflect.TypeOf(p.Default))
		if err := json.Unmarshal(c.Values[p.Name], v.Interface()); err != nil {
			return nil, fmt.Errorf("%w: %s of %s: %w", ErrMessage, p.Name, c.Name, err)
		}
		values[p.Name] = v.Elem().Interface()
	}
	return of.New(c.Link, values), nil
}

// The telemetry of a packet: when it was sent, how many switches it has passed, and those that have told of
// themselves.
const (
	seenHead = 8 + 1 + 1
	seenHop  = 4 * 8
)

func seenBytes(s *cc.Seen) int {
	switch {
	case s == nil:
		return 0
	case s.Path == nil:
		return seenHead
	}
	return seenHead + s.Path.N*seenHop
}

func appendSeen(b []byte, s *cc.Seen) []byte {
	if s == nil {
		return b
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Sent))
	if s.Path == nil {
		return append(b, byte(s.Hops), noPath)
	}
	b = append(b, byte(s.Hops), byte(s.Path.N))
	for _, h := range s.Path.Hop[:s.Path.N] {
		for _, v := range []uint64{uint64(h.At), uint64(h.Sent), uint64(h.Queue), uint64(h.Rate)} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	return b
}

// noPath is the number of hops of telemetry without them.
const noPath = 0xff

func parseSeen(b []byte) (s *cc.Seen, rest []byte, err error) {
	if len(b) < seenHead {
		return nil, nil, fmt.Errorf("%w: telemetry of %d bytes", ErrMessage, len(b))
	}
	s = &cc.Seen{Sent: units.Time(binary.LittleEndian.Uint64(b)), Hops: int(b[8])}
	n := int(b[9])
	b = b[seenHead:]
	if n == noPath {
		return s, b, nil
	}
	if n > cc.MaxHops || len(b) < n*seenHop {
		return nil, nil, fmt.Errorf("%w: telemetry of %d switches in %d bytes", ErrMessage, n, len(b))
	}
	s.Path = &cc.Path{N: n}
	for i := range n {
		at := func(k int) uint64 { return binary.LittleEndian.Uint64(b[i*seenHop+8*k:]) }
		s.Path.Hop[i] = cc.Hop{At: units.Time(at(0)), Sent: units.Bytes(at(1)), Queue: units.Bytes(at(2)), Rate: units.Rate(at(3))}
	}
	return s, b[n*seenHop:], nil
}
