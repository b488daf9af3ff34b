package ibsim

import (
	"encoding/binary"
	"net"
	"strconv"
	"strings"

	"weft/internal/ib/subnet"
)

// serveControl answers control messages until the socket is closed.
func (s *Server) serveControl() error {
	var buf [2 * messageSize]byte
	for {
		n, from, who, err := readFrom(s.control, buf[:])
		if err != nil {
			return err
		}
		m := message(buf[:messageSize])
		if n != messageSize || !m.valid() || from == nil {
			continue
		}
		var out []outgoing
		if s.own.trusts(who) {
			s.mu.Lock()
			out = s.answer(&m)
			s.mu.Unlock()
		} else {
			m.setKind(refused)
		}
		from.Name = strings.TrimSuffix(from.Name, "\x00") + "\x00" // package net cuts the zero at the end of names
		_, _ = s.control.WriteToUnix(m[:], from)                   // an ended client needs no answer
		s.send(out)
	}
}

// answer answers a control message in place. Callers hold the lock.
func (s *Server) answer(m *message) []outgoing {
	if m.kind() == connect {
		if !s.attach(m) {
			m.setKind(refused)
		}
		return s.traps()
	}
	c := s.clients[m.client()]
	if c == nil {
		m.setKind(refused)
		return nil
	}
	data := m.data()
	switch m.kind() {
	case disconnect:
		s.dropLocked(c)
	case getPort:
		info := s.fabric.Info(c.at)
		le.PutUint16(data, uint16(s.fabric.LID(c.at)))
		data[2] = uint8(info.State)
	case getVendor:
		n := &s.fabric.Subnet().Nodes[c.at.Node]
		clear(data[:24])
		le.PutUint32(data, n.VendorID)
		le.PutUint32(data[4:], uint32(n.DeviceID))
		le.PutUint32(data[8:], n.Revision)
	case getGID:
		info, node := s.fabric.Info(c.at), s.fabric.NodeInfo(c.at)
		binary.BigEndian.PutUint64(data, info.GIDPrefix)
		binary.BigEndian.PutUint64(data[8:], uint64(node.PortGUID))
	case getGUID:
		node := s.fabric.NodeInfo(c.at)
		binary.BigEndian.PutUint64(data, uint64(node.PortGUID))
	case getNodeInfo:
		node := s.fabric.NodeInfo(c.at)
		appendPadded(data, &node)
	case getPortInfo:
		s.answerPortInfo(m, c)
	case setManager:
		c.manager = m.word() != 0
		s.fabric.SetManager(c.at, s.managerAt(c.at) != nil)
	case getPKeys:
		keys := s.fabric.PKeys(c.at)
		appendPadded(data, &keys)
	default:
		m.setKind(refused)
	}
	return s.traps()
}

// answerPortInfo answers with the PortInfo of a port of the client's node. Port 0 of an
// adapter stands for the port that the client is attached to.
func (s *Server) answerPortInfo(m *message, c *client) {
	at, node := c.at, &s.fabric.Subnet().Nodes[c.at.Node]
	if p := m.data()[0]; p != 0 || node.Kind == subnet.Switch {
		at.Port = uint16(p)
	}
	if int(at.Port) >= len(node.Ports) {
		m.setKind(refused)
		return
	}
	info := s.fabric.Info(at)
	appendPadded(m.data(), &info)
}

// attach adds a client, whose socket for datagrams exists already.
func (s *Server) attach(m *message) bool {
	at, known := s.place(m.nodeID())
	if m.nodeID() == "" {
		at, known = subnet.End{Port: s.fabric.Subnet().Nodes[0].Base()}, true
	}
	process := m.word()
	id, free := s.freeID()
	if !known || !free || s.closed {
		return false
	}
	conn, err := net.DialUnix("unixgram", address(s.base, "out", id), address(s.base, "in", process))
	if err != nil {
		return false
	}
	if identify(conn) != nil {
		conn.Close()
		return false
	}
	c := &client{id: id, process: process, at: at, manager: m.manager(), conn: conn}
	s.clients[id] = c
	if c.manager {
		s.fabric.SetManager(at, true)
	}
	m.setWord(id)
	m.setClient(id)
	s.wait.Add(1)
	go s.serveClient(c)
	return true
}

// place is the port that a program names: a node, or a port of it as in node0[2].
func (s *Server) place(name string) (subnet.End, bool) {
	if at, known := s.names[name]; known {
		return at, true
	}
	node, port, ok := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	at, known := s.names[node]
	number, err := strconv.ParseUint(port, 10, 8)
	if !ok || !known || err != nil || number == 0 || int(number) >= len(s.fabric.Subnet().Nodes[at.Node].Ports) {
		return at, false
	}
	if s.fabric.Subnet().Nodes[at.Node].Kind != subnet.Switch {
		at.Port = uint16(number)
	}
	return at, true
}

// freeID is an unused client number. If there is none, it frees the numbers of programs that ended
// without disconnecting.
func (s *Server) freeID() (uint32, bool) {
	for try := range 2 {
		for id := range uint32(maxClients) {
			if s.clients[id] == nil {
				return id, true
			}
		}
		if try == 0 {
			for _, c := range s.clients {
				if processEnded(int(c.process & (1<<processBits - 1))) {
					s.dropLocked(c)
				}
			}
		}
	}
	return 0, false
}
