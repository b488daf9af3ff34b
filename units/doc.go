// Package units is weft's one vocabulary of quantities: time in integer picoseconds, bytes, bits
// per second, cable lengths, and the wrap-around numbers of the RDMA transport.
//
// Nothing here is a float: no float may decide the order of two events. A text becomes a value
// exactly or not at all; String rounds for display, and Parse reads the text of Exact without loss.
// Each kind has one parser, for files and flags alike: amounts are 9216, 64K and 64KiB, rates 400G
// and 400Gbps.
package units
