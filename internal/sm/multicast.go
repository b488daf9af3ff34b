package sm

import (
	"weft/wire/mad"
)

// multicastBlock is a block of a switch's multicast forwarding table.
type multicastBlock struct {
	modifier uint32
	table    mad.MulticastFDB
}
