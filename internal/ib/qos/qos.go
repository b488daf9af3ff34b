package qos

import (
	"cmp"

	"weft/internal/ib/format"
	"weft/units"
)

// Class is the class of ports that a set of keys applies to.
type Class uint8

// The classes. Keys that a class leaves unset come from Any.
const (
	Any         Class = iota // qos_…
	Adapters                 // qos_ca_…: ports of channel adapters
	SwitchZero               // qos_sw0_…: enhanced port 0 of switches
	SwitchPorts              // qos_swe_…: external ports of switches
	Routers                  // qos_rtr_…: ports of routers
	classes
)

// prefixes is the prefixes of the keys, by class.
var prefixes = [classes]string{"qos_", "qos_ca_", "qos_sw0_", "qos_swe_", "qos_rtr_"}

// Weight is one entry of an arbitration table: a lane and the number of 64-byte blocks that it may
// send per turn, 0 to 255 (IBA vol. 1, 7.6.9).
type Weight struct {
	VL     units.VL
	Blocks uint8
}

// maxEntries is the number of entries of an arbitration table (IBA vol. 1,
// 14.2.5.9).
const maxEntries = 64

// Set is the keys of one class. A key that is not set is nil.
type Set struct {
	MaxVLs    *uint8 // data lanes, 1 to 15
	HighLimit *uint8 // 0 to 255: blocks of 4,096 bytes of high priority before one packet of low
	High, Low []Weight
	SL2VL     *[16]units.VL // 15: the packet is dropped
}

// Config is the keys of a file.
type Config struct {
	Enabled bool // qos TRUE
	Sets    [classes]Set
}

// Of is the set of a class. Keys that it does not set are taken from Any.
func (c *Config) Of(class Class) Set {
	s, general := c.Sets[class], &c.Sets[Any]
	s.MaxVLs, s.HighLimit, s.SL2VL = cmp.Or(s.MaxVLs, general.MaxVLs), cmp.Or(s.HighLimit, general.HighLimit), cmp.Or(s.SL2VL, general.SL2VL)
	if s.High == nil {
		s.High = general.High
	}
	if s.Low == nil {
		s.Low = general.Low
	}
	return s
}

// Errors is all errors in a file.
type Errors = format.Errors
