package wire

import "errors"

// Errors of parsing. They carry no detail, so that refusing a packet costs no
// allocation; callers know which packet it was.
var (
	ErrTruncated = errors.New("wire: the packet ends inside a header")
	ErrOpcode    = errors.New("wire: the operation code is not one of table 38 of the specification")
	ErrVersion   = errors.New("wire: the version of a header is not one that is known")
	ErrLength    = errors.New("wire: a length field disagrees with the packet")
	ErrPad       = errors.New("wire: more pad bytes than payload")
	ErrReserved  = errors.New("wire: a field holds a value that the specification reserves")
	ErrICRC      = errors.New("wire: the invariant CRC does not match")
)
