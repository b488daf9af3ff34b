package mad

import "weft/units"

// SMState is the state of a Subnet Manager (IBA vol. 1, 14.4.1).
type SMState uint8

// The states.
const (
	SMNotActive   SMState = 0
	SMDiscovering SMState = 1
	SMStandby     SMState = 2
	SMMaster      SMState = 3
)

// String is the state in the words of the specification.
func (s SMState) String() string {
	switch s {
	case SMNotActive:
		return "not-active"
	case SMDiscovering:
		return "discovering"
	case SMStandby:
		return "standby"
	case SMMaster:
		return "master"
	}
	return "reserved state"
}

// The modifiers of a Set(SMInfo): the commands of one Subnet Manager to another (IBA
// vol. 1, 14.4.1).
const (
	SMHandover    uint32 = 1
	SMAcknowledge uint32 = 2
	SMDisable     uint32 = 3
	SMStandbyCmd  uint32 = 4
	SMDiscover    uint32 = 5
)

// SMInfo describes a Subnet Manager to others (IBA vol. 1, 14.2.5.13).
type SMInfo struct {
	GUID     units.GUID // of the manager's port
	SMKey    uint64
	ActCount uint32 // grows while the manager is alive
	Priority uint8  // 4 bits; the highest priority is master, then the lowest GUID
	State    SMState
}

func (s *SMInfo) layout(c *codec) {
	bits(c, 64, &s.GUID)
	bits(c, 64, &s.SMKey)
	bits(c, 32, &s.ActCount)
	bits(c, 4, &s.Priority)
	bits(c, 4, &s.State)
}
