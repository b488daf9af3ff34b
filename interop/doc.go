// Package interop tests weft against Linux's soft-RoCE (rdma_rxe), with the
// unmodified programs of rdma-core and perftest at the other side.
//
// The driver runs in a virtual machine under QEMU's software emulation, so that no
// module is loaded into the machine that tests, and no acceleration is needed:
// Debian's kernel and an initial file system that image.sh makes, whose first
// process (guest) brings up the interface and the device, and runs the tests' commands.
// Between the machine and weft is a tap in a network namespace of the test's own, which
// vanishes with the test.
//
//	make interop
//
// installs what it needs on Debian as root, makes the image, and runs the tests of
// this package, which are skipped without WEFT_INTEROP: the directory of an image.
//
// The packet filters of the machine and of the test's namespace drop every nth arriving
// packet, in both directions, so that a run repeats as far as the timing of two machines
// allows. A filter on leaving packets would lose none: the kernel reports the drop to
// soft-RoCE, which sends again at once.
package interop

// Command is a test's command to the guest: one JSON value over a TCP
// connection to Port of the guest, which answers with an Outcome. The program is killed if the test
// ends its half of the connection before.
type Command struct {
	Argv    []string `json:"argv"`
	Seconds int      `json:"seconds"` // until it is killed
}

// Outcome is the answer to a Command after its end.
type Outcome struct {
	Output string `json:"output"` // standard output and error, as they came
	Exit   int    `json:"exit"`   // -1: killed, or not started
}

// Port is the TCP port on which the guest takes commands.
const Port = 7
