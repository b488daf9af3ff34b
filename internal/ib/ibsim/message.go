package ibsim

import (
	"bytes"
	"encoding/binary"
	"net"
	"strconv"

	"weft/wire/mad"
)

// A control message has the same size in both directions: a head of four words, then data. Its
// numbers are in the processor's byte order; all platforms of libumad2sim with abstract sockets are
// little-endian.
const (
	messageSize  = 80
	messageMagic = 0xdeadbeef
	offClient    = 4
	offKind      = 8
	offDataLen   = 12
	offData      = 16
	nodeIDSize   = 32
	offNodeID    = offData + 12 // of a connect message, behind process, queue pair, manager flag
	offManager   = offData + 8
)

// kind is the request of a control message.
type kind uint32

const (
	refused     kind = 0 // in an answer
	connect     kind = 1
	disconnect  kind = 2
	getPort     kind = 3
	getVendor   kind = 4
	getGID      kind = 5
	getGUID     kind = 6
	getNodeInfo kind = 7
	getPortInfo kind = 8
	setManager  kind = 9
	getPKeys    kind = 10
)

// message is a control message in the form of the socket.
type message [messageSize]byte

var le = binary.LittleEndian

func newMessage(k kind, client uint32, data []byte) message {
	var m message
	le.PutUint32(m[0:], messageMagic)
	le.PutUint32(m[offClient:], client)
	m.setKind(k)
	le.PutUint32(m[offDataLen:], uint32(len(data)))
	copy(m[offData:], data)
	return m
}

func (m *message) valid() bool        { return le.Uint32(m[0:]) == messageMagic }
func (m *message) client() uint32     { return le.Uint32(m[offClient:]) }
func (m *message) kind() kind         { return kind(le.Uint32(m[offKind:])) }
func (m *message) setKind(k kind)     { le.PutUint32(m[offKind:], uint32(k)) }
func (m *message) word() uint32       { return le.Uint32(m[offData:]) }
func (m *message) setWord(v uint32)   { le.PutUint32(m[offData:], v) }
func (m *message) data() []byte       { return m[offData:] }
func (m *message) manager() bool      { return le.Uint32(m[offManager:]) != 0 }
func (m *message) setClient(v uint32) { le.PutUint32(m[offClient:], v) }

// nodeID is the node in a connect message.
func (m *message) nodeID() string {
	id, _, _ := bytes.Cut(m[offNodeID:offNodeID+nodeIDSize], []byte{0})
	return string(id)
}

// connectMessage asks to attach to a node. A longer name is cut.
func connectMessage(process uint32, node string) message {
	var data [12 + nodeIDSize]byte
	le.PutUint32(data[0:], process)
	copy(data[12:12+nodeIDSize-1], node)
	return newMessage(connect, 0, data[:])
}

// address is a socket's name. Abstract names begin with a zero byte, which package net writes as @;
// these names end with a zero byte too.
func address(base, suffix string, number ...uint32) *net.UnixAddr {
	for _, n := range number {
		suffix += strconv.FormatUint(uint64(n), 10)
	}
	return &net.UnixAddr{Name: "@" + base + ":" + suffix + "\x00", Net: "unixgram"}
}

// appendPadded appends an attribute, padded to the 64 bytes of a simulator's answer.
func appendPadded(to []byte, attribute mad.Structure) {
	clear(to[:mad.SMPDataBytes])
	mad.Append(to[:0], attribute)
}
