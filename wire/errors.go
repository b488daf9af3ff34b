package wire

import "errors"

// Errors of parsing. They carry no detail, so that refusing a packet allocates nothing; callers
// know the packet.
var (
	ErrTruncated = errors.New("wire: the packet ends inside a header")
	ErrOpcode    = errors.New("wire: the operation code is not in table 38 of the specification")
	ErrVersion   = errors.New("wire: the version of a header is unknown")
	ErrLength    = errors.New("wire: a length field disagrees with the packet")
	ErrPad       = errors.New("wire: more pad bytes than payload")
	ErrReserved  = errors.New("wire: a field holds a value that the specification reserves")
	ErrICRC      = errors.New("wire: the invariant CRC does not match")
)
