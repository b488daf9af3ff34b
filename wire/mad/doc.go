// Package mad has the codecs of InfiniBand's management datagrams: the common header, the headers
// of subnet management (directed and LID-routed), subnet administration and performance management,
// and the attributes that a Subnet Manager, its agents and its diagnostic tools exchange.
//
// A [MAD] is its 256 bytes; its header fields are read and written in place. An attribute is a
// plain struct, a [Structure]: one list of its fields, in the order and with the widths of the
// specification's table, serves both directions. [Append] writes it behind a slice, [Parse] reads
// it from the front of a slice. Neither allocates if the caller knows the attribute's type.
// Reserved bits are written as 0 and ignored when read. A value wider than its field is cut to its
// low bits.
//
// A slice that is too short for an attribute causes a [ShortError]. The codec does not judge
// values: the agent that answers a MAD names the value that it refuses.
//
// Source: the InfiniBand Architecture Specification (IBA), volume 1, chapters 13 (datagrams), 14
// (subnet management), 15 (subnet administration) and 16 (performance management). Tested against
// datagrams of OpenSM, infiniband-diags and ibsim.
//
// Left out: device, communication and baseboard management, and the vendors' attributes except
// MlnxExtPortInfo, which distinguishes FDR10 from QDR.
package mad
