package mad

import "weft/units"

// NoticeType is the severity of a notice (IBA vol. 1, 13.4.8.2).
type NoticeType uint8

// The types.
const (
	NoticeFatal    NoticeType = 0
	NoticeUrgent   NoticeType = 1
	NoticeSecurity NoticeType = 2
	NoticeManager  NoticeType = 3 // "subnet management"
	NoticeInfo     NoticeType = 4
	NoticeEmpty    NoticeType = 0x7F
)

// TrapNumber is the event of a generic notice (IBA vol. 1, 14.2.5.1).
type TrapNumber uint16

// The traps of subnet management.
const (
	TrapInService     TrapNumber = 64 // the manager sends these four to subscribers
	TrapOutOfService  TrapNumber = 65
	TrapGroupCreated  TrapNumber = 66
	TrapGroupDeleted  TrapNumber = 67
	TrapLinkState     TrapNumber = 128 // from a switch: the state of a link changed
	TrapLinkIntegrity TrapNumber = 129
	TrapOverrun       TrapNumber = 130
	TrapWatchdog      TrapNumber = 131
	TrapCapability    TrapNumber = 144
	TrapBadMKey       TrapNumber = 256
	TrapBadPKey       TrapNumber = 257
	TrapBadQKey       TrapNumber = 258
	TrapSwitchPKey    TrapNumber = 259
)

// Notice reports an event (IBA vol. 1, 13.4.8.2). Data holds the structure for its number:
// [GIDNotice], [LinkStateNotice] …
type Notice struct {
	Generic   bool
	Type      NoticeType // 7 bits
	Producer  uint32     // 24 bits: 1 adapter, 2 switch, 3 router, 4 the manager
	Number    TrapNumber
	IssuerLID units.LID
	Toggle    bool
	Count     uint16 // 15 bits
	Data      [54]byte
}

func (n *Notice) layout(c *codec) {
	flag(c, &n.Generic)
	bits(c, 7, &n.Type)
	bits(c, 24, &n.Producer)
	bits(c, 16, &n.Number)
	bits(c, 16, &n.IssuerLID)
	flag(c, &n.Toggle)
	bits(c, 15, &n.Count)
	raw(c, n.Data[:])
}

// NoticeReport is a notice as subnet administration reports it to subscribers:
// the GID of the port that issued it follows.
type NoticeReport struct {
	Notice Notice
	Issuer GID
}

func (r *NoticeReport) layout(c *codec) {
	r.Notice.layout(c)
	r.Issuer.layout(c)
}

// GIDNotice is the data of traps 64 to 67.
type GIDNotice struct{ GID GID }

// LinkStateNotice is the data of trap 128.
type LinkStateNotice struct{ LID units.LID }

// PortNotice is the data of traps 129 to 131.
type PortNotice struct {
	LID  units.LID
	Port uint8
}

// CapabilityNotice is the data of trap 144.
type CapabilityNotice struct {
	LID            units.LID
	OtherChanges   bool // one or more of the last four fields are set
	CapabilityMask uint32
	Priority       bool // the priority of the port's Subnet Manager changed
	SpeedEnabled   bool
	WidthEnabled   bool
	Description    bool
}

// MKeyNotice is the data of trap 256: a request with the wrong M_Key.
type MKeyNotice struct {
	LID       units.LID // LID of the refusing port
	DrSLID    units.LID
	Method    Method
	Attribute Attribute
	Modifier  uint32
	MKey      uint64
	Directed  bool // the request came by a directed route
	Truncated bool // the route is too long for Return
	Hops      uint8
	Return    [30]uint8 // path
}

// KeyNotice is the data of traps 257 and 258: two ends without a common partition or queue key.
type KeyNotice struct {
	LID1, LID2 units.LID
	Key        uint32
	SL         units.SL
	QP1, QP2   units.QPN
	GID1, GID2 GID
}

// SwitchKeyNotice is the data of trap 259: a switch saw a partition violation. Valid has a bit for
// each field that the switch has filled in.
type SwitchKeyNotice struct {
	Valid      uint16
	LID1, LID2 units.LID
	PKey       PKey
	SL         units.SL
	QP1, QP2   units.QPN
	GID1, GID2 GID
	SwitchLID  units.LID
	Port       uint8
}

func (d *GIDNotice) layout(c *codec) {
	c.skip(48)
	d.GID.layout(c)
}

func (d *LinkStateNotice) layout(c *codec) { bits(c, 16, &d.LID) }

func (d *PortNotice) layout(c *codec) {
	c.skip(16)
	bits(c, 16, &d.LID)
	bits(c, 8, &d.Port)
}

func (d *CapabilityNotice) layout(c *codec) {
	c.skip(16)
	bits(c, 16, &d.LID)
	c.skip(8 + 7)
	flag(c, &d.OtherChanges)
	bits(c, 32, &d.CapabilityMask)
	c.skip(12)
	flag(c, &d.Priority)
	flag(c, &d.SpeedEnabled)
	flag(c, &d.WidthEnabled)
	flag(c, &d.Description)
}

func (d *MKeyNotice) layout(c *codec) {
	c.skip(16)
	bits(c, 16, &d.LID)
	bits(c, 16, &d.DrSLID)
	bits(c, 8, &d.Method)
	c.skip(8)
	bits(c, 16, &d.Attribute)
	bits(c, 32, &d.Modifier)
	bits(c, 64, &d.MKey)
	c.skip(8)
	flag(c, &d.Directed)
	flag(c, &d.Truncated)
	bits(c, 6, &d.Hops)
	raw(c, d.Return[:])
}

func (d *KeyNotice) layout(c *codec) {
	c.skip(16)
	bits(c, 16, &d.LID1)
	bits(c, 16, &d.LID2)
	bits(c, 32, &d.Key)
	layoutQPs(c, &d.SL, &d.QP1, &d.QP2)
	d.GID1.layout(c)
	d.GID2.layout(c)
}

func (d *SwitchKeyNotice) layout(c *codec) {
	bits(c, 16, &d.Valid)
	bits(c, 16, &d.LID1)
	bits(c, 16, &d.LID2)
	bits(c, 16, &d.PKey)
	layoutQPs(c, &d.SL, &d.QP1, &d.QP2)
	d.GID1.layout(c)
	d.GID2.layout(c)
	bits(c, 16, &d.SwitchLID)
	bits(c, 8, &d.Port)
}

func layoutQPs(c *codec, sl *units.SL, a, b *units.QPN) {
	bits(c, 4, sl)
	c.skip(4)
	bits(c, 24, a)
	c.skip(8)
	bits(c, 24, b)
}

// SetData writes the data: the structure for the notice's number.
func (n *Notice) SetData(d Structure) {
	clear(n.Data[:])
	Append(n.Data[:0], d)
}

// GetData reads the data; d is the structure for the notice's number.
func (n *Notice) GetData(d Structure) { _ = Parse(n.Data[:], d) } // every such structure is shorter than Data
