// Package units is weft's one vocabulary of quantities: time in integer
// picoseconds, bytes, bits per second, cable lengths, and the wrap-around
// numbers of the RDMA transport.
//
// Nothing here is a float: no float may decide the order of two events. A text
// becomes a value exactly or not at all; String rounds for people, Exact gives
// back what Parse reads.
package units
