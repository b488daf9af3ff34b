// Package interop holds weft against Linux's soft-RoCE (rdma_rxe), with the
// unmodified programs of rdma-core and perftest at the other side.
//
// The driver runs in a virtual machine under QEMU's software emulation, so that no
// module is loaded into the machine that tests, and no acceleration is needed:
// Debian's kernel and an initial file system that image.sh makes, whose first
// process (guest) brings up the interface and the device, and runs what it is
// told. Between the machine and weft is a tap in a network namespace of the test's
// own, which vanishes with the test.
//
//	make interop
//
// installs what it needs on Debian as root, makes the image, and runs the tests of
// this package, which are skipped without WEFT_INTEROP: the directory of an image.
//
// Losses are made where packets arrive, by the packet filters of the machine and of
// the test's namespace: every so many are dropped, in both directions, so that a run is
// the same again as far as the timing of two machines lets it be. A filter where
// packets leave the machine would lose none: soft-RoCE is told, and sends again at once.
package interop

// Command is what a test asks the guest to run: one JSON value over a TCP
// connection to Port of the guest, which answers with an Outcome.
type Command struct {
	Argv    []string `json:"argv"`
	Seconds int      `json:"seconds"` // until it is killed
}

// Outcome is the answer to a Command, when that has ended.
type Outcome struct {
	Output string `json:"output"` // standard output and error, as they came
	Exit   int    `json:"exit"`   // -1: killed, or not started
}

// Port is the TCP port on which the guest takes commands.
const Port = 7
