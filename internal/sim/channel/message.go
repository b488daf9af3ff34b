package channel

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// Version is the version of the messages.
const Version = 7

// MaxMessage bounds a message. A socket's buffer is 208 KiB on Linux (net.core.wmem_default), with the
// kernel's own bookkeeping.
const MaxMessage = 96 << 10

// Kind is the kind of a message, its first byte.
type Kind uint8

// The kinds.
const (
	KindHello Kind = iota + 1
	KindWelcome
	KindRefused
	KindTurn
	KindAnswer
	KindWake
	KindJoin
	KindLeave
	KindDatagram
)

// Hello is what a device wants. Addr is the address of a NIC; if it is empty, the fabric chooses one of the
// NIC with the name.
type Hello struct {
	Version int
	Addr    string `json:",omitempty"`
	NIC     string `json:",omitempty"`
	// Management says that this is no device, but a program that exchanges management datagrams at the NIC.
	Management bool `json:",omitempty"`
}

// Welcome is what a device gets: its address, its NIC, and the parameters of its queue pairs.
type Welcome struct {
	Addr       string
	NIC        string
	Subnet     *Subnet // of an InfiniBand fabric; nil: the link layer is Ethernet
	Rate       units.Rate
	PathMTU    int
	QueuePairs QueuePairs
}

// QueuePairs are the parameters of transport.Config that the fabric's NICs give their queue pairs.
type QueuePairs struct {
	AckEvery      int
	Window        units.Bytes
	PacketWindow  int
	PacedOverhead units.Bytes
	CNPInterval   units.Time
	// SelectiveRepeat says that lost packets alone are sent again; otherwise all from the gap on.
	SelectiveRepeat bool
	MarksAcked      bool     // marks come back in acknowledgements at once; otherwise by CNPs
	Control         *Control // nil: no congestion control
}

// Marshal is a message of a kind with a JSON body.
func Marshal(k Kind, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	return append([]byte{byte(k)}, text...), err
}

// Unmarshal reads the JSON body of a message of a kind. A Refused message is an error with its reason.
func Unmarshal(b []byte, k Kind, body any) error {
	switch {
	case len(b) > 0 && Kind(b[0]) == KindRefused:
		return errors.New(string(b[1:]))
	case len(b) == 0 || Kind(b[0]) != k:
		return fmt.Errorf("%w: no message of kind %d", ErrMessage, k)
	}
	if err := json.Unmarshal(b[1:], body); err != nil {
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return nil
}

// ErrMessage is a message that is not of this version, or damaged.
var ErrMessage = errors.New("the message is none of this version of weft")

// Turn is the head of a fabric's turn; packets follow.
type Turn struct {
	More bool       // further packets of the turn are in the next message
	Down bool       // the NIC's cables are without service
	Now  units.Time // of the fabric's clock
	Room uint16     // requests that the NIC's queue has room for
}

// Answer is the head of a device's answer to a turn, or of its offer; packets follow.
type Answer struct {
	More     bool       // further packets of the answer are in the next message
	Offer    bool       // the device says it by itself, between two turns
	Hungry   bool       // there are requests that found no room
	Deadline units.Time // when the device needs a turn at the latest; units.Forever: not by itself
	Repeated uint64     // packets that its queue pairs have retransmitted
	Counters transport.Counters
}

// Packet is a packet in a turn or an answer. Data is from the BTH to the ICRC.
type Packet struct {
	From, To [4]byte // IPv4 addresses
	Mark     bool    // in an answer: it is ECN-capable; in a turn: it was marked
	// Seen is, in a turn, what a request's congestion control has the fabric tell of its way; in an answer an
	// acknowledgement takes it back. nil is nothing.
	Seen *cc.Seen
	Data []byte
}

const (
	turnBytes   = 1 + 1 + 8 + 2
	answerBytes = 1 + 1 + 8 + 8 + 8*8
	packetBytes = 4 + 4 + 1 + 2
)

const (
	flagMore = 1 << iota
	flagHungry
	flagDown
	flagOffer
)

const (
	flagMark = 1 << iota
	flagSeen
)

// Append appends the head of a turn.
func (t *Turn) Append(b []byte) []byte {
	b = append(b, byte(KindTurn), flag(t.More, flagMore)|flag(t.Down, flagDown))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.Now))
	return binary.LittleEndian.AppendUint16(b, t.Room)
}

// Parse reads the head of a turn and returns the packets.
func (t *Turn) Parse(b []byte) (packets []byte, err error) {
	if len(b) < turnBytes || Kind(b[0]) != KindTurn {
		return nil, fmt.Errorf("%w: no turn", ErrMessage)
	}
	*t = Turn{More: b[1]&flagMore != 0, Down: b[1]&flagDown != 0, Now: units.Time(binary.LittleEndian.Uint64(b[2:])), Room: binary.LittleEndian.Uint16(b[10:])}
	return b[turnBytes:], nil
}

// Append appends the head of an answer.
func (a *Answer) Append(b []byte) []byte {
	b = append(b, byte(KindAnswer), flag(a.More, flagMore)|flag(a.Hungry, flagHungry)|flag(a.Offer, flagOffer))
	b = binary.LittleEndian.AppendUint64(b, uint64(a.Deadline))
	b = binary.LittleEndian.AppendUint64(b, a.Repeated)
	b, _ = binary.Append(b, binary.LittleEndian, &a.Counters) // all of one size
	return b
}

// Parse reads the head of an answer and returns the packets.
func (a *Answer) Parse(b []byte) (packets []byte, err error) {
	if len(b) < answerBytes || Kind(b[0]) != KindAnswer {
		return nil, fmt.Errorf("%w: no answer", ErrMessage)
	}
	*a = Answer{
		More: b[1]&flagMore != 0, Hungry: b[1]&flagHungry != 0, Offer: b[1]&flagOffer != 0,
		Deadline: units.Time(binary.LittleEndian.Uint64(b[2:])), Repeated: binary.LittleEndian.Uint64(b[10:]),
	}
	_, err = binary.Decode(b[18:], binary.LittleEndian, &a.Counters)
	return b[answerBytes:], err
}

// Bytes is the length of a packet in a message.
func (p *Packet) Bytes() int { return packetBytes + seenBytes(p.Seen) + len(p.Data) }

// Fit is the number of the first packets that fit in one message behind its head.
func Fit(packets []Packet) (n int) {
	const head = answerBytes // the longest
	for size := head; n < len(packets); n++ {
		if size += packets[n].Bytes(); size > MaxMessage {
			break
		}
	}
	return n
}

// Append appends a packet.
func (p *Packet) Append(b []byte) []byte {
	b = append(b, p.From[:]...)
	b = append(b, p.To[:]...)
	b = append(b, flag(p.Mark, flagMark)|flag(p.Seen != nil, flagSeen))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(p.Data)))
	return append(appendSeen(b, p.Seen), p.Data...)
}

// Parse reads the first packet and returns the others. Data is a part of b.
func (p *Packet) Parse(b []byte) (rest []byte, err error) {
	if len(b) < packetBytes {
		return nil, fmt.Errorf("%w: a packet of %d bytes", ErrMessage, len(b))
	}
	*p = Packet{From: [4]byte(b), To: [4]byte(b[4:]), Mark: b[8]&flagMark != 0}
	n, flags := int(binary.LittleEndian.Uint16(b[9:])), b[8]
	b = b[packetBytes:]
	if flags&flagSeen != 0 {
		if p.Seen, b, err = parseSeen(b); err != nil {
			return nil, err
		}
	}
	if len(b) < n {
		return nil, fmt.Errorf("%w: a packet of %d bytes has %d", ErrMessage, n, len(b))
	}
	p.Data = b[:n:n]
	return b[n:], nil
}

// Datagram is a management datagram of a program, and its answer, which may take several messages.
type Datagram struct {
	More   bool      // the rest of the answer is in the next message
	LID    units.LID // of the other end
	Status uint32    // of an answer: an errno, 0 for success; Data is then the request
	Data   []byte    // 256 bytes; an answer of subnet administration may have more, or end behind its last record
}

const datagramBytes = 1 + 1 + 2 + 4

// MaxDatagram is the most data of a message.
const MaxDatagram = MaxMessage - datagramBytes

// Append appends a datagram.
func (d *Datagram) Append(b []byte) []byte {
	b = append(b, byte(KindDatagram), flag(d.More, flagMore))
	b = binary.LittleEndian.AppendUint16(b, uint16(d.LID))
	b = binary.LittleEndian.AppendUint32(b, d.Status)
	return append(b, d.Data...)
}

// Parse reads a datagram. Data is a part of b.
func (d *Datagram) Parse(b []byte) error {
	if len(b) < datagramBytes || Kind(b[0]) != KindDatagram {
		return fmt.Errorf("%w: no management datagram", ErrMessage)
	}
	*d = Datagram{More: b[1]&flagMore != 0, LID: units.LID(binary.LittleEndian.Uint16(b[2:])), Status: binary.LittleEndian.Uint32(b[4:]), Data: b[datagramBytes:]}
	return nil
}

// AppendGroup is a message of KindJoin or KindLeave with a multicast group.
func AppendGroup(b []byte, k Kind, group [4]byte) []byte {
	return append(append(b, byte(k)), group[:]...)
}

// Group reads the group of such a message.
func Group(b []byte) (group [4]byte, err error) {
	if len(b) != 5 {
		return group, fmt.Errorf("%w: a group of %d bytes", ErrMessage, len(b)-1)
	}
	return [4]byte(b[1:]), nil
}

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}
