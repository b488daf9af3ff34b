package socket

import (
	"errors"

	"weft/units"
)

// Devices of several processes can be at one address. The highest bits of a queue pair's number, and of a
// connection's ID, are the number of a part, and each device has one part. The kernel delivers a packet to
// the socket of its part (sharer_linux.go).
const (
	partBits = 6
	// Parts is the number of parts of an address. Part 0 is the sharer's own.
	Parts = 1 << partBits

	qpnPartShift = qpnBits - partBits
	idPartShift  = 32 - partBits
)

// GSI is the number of every device's queue pair for the connection manager (IBA vol. 1, 3.9.1).
const GSI units.QPN = 1

// partOf is the part that has a queue pair's number.
func partOf(qpn units.QPN) int { return int(qpn >> qpnPartShift) }

// MostEndpoints is the number of queue pairs that the port can have.
func (p *Port) MostEndpoints() int { return int(p.lastQPN-p.firstQPN) + 1 }

// Part is the part of the address that the port has; 0 is the whole address.
func (p *Port) Part() int { return p.part }

// PartID moves an ID of the connection manager to the port's part.
func (p *Port) PartID(id uint32) uint32 {
	if p.part == 0 {
		return id
	}
	return uint32(p.part)<<idPartShift | id&(1<<idPartShift-1)
}

// numbers are the least and the last number of the queue pairs of a part.
func numbers(part int) (first, last units.QPN) {
	if part == 0 {
		return FirstQPN, MaxEndpoints - 1
	}
	first = units.QPN(part) << qpnPartShift
	return first + FirstQPN, min(first+1<<qpnPartShift, MaxEndpoints) - 1
}

// ErrTaken says that another device at the address listens to a service.
var ErrTaken = errors.New("live: another device at this address listens there")
