package nccl

import "weft/units"

// Harness is the program that measures a collective, and its way of launch.
type Harness uint8

// The harnesses. Those of nccl-tests post all iterations of a size and divide the time to the end of
// the last by their number; barriers are outside (BenchTime, src/common.cu). So a launch shows only
// if it takes longer than the operation.
const (
	Process Harness = iota // nccl-tests, a process for each GPU
	Thread                 // nccl-tests -t, a thread for each GPU
	ForAll                 // nccl-tests -g, one thread launches the kernels of several GPUs
	Torch                  // PyTorch, an operation at a time between two events
)

// The launches of one thread for n GPUs take launchFirst, launchEach for each GPU, and launchItem for
// each of its work items but the first: 10, 13.8, 16.9, 20.8, 25.2, 29.5 and 33.7 us for 2 to 8 A100
// with one block each (NVIDIA/nccl-tests issue 123; the line is a fit to these seven), and 43.8, 46.8,
// 51.8, 61.4, 80.4 and 101.9 us for 8 A100 with 1, 2, 4, 8, 16 and 24 blocks each (table V10; an item
// is the fitted slope of these six). Other hosts differ: 45 us for 8 H100 (table T2).
const (
	launchFirst = 1630 * units.Nanosecond
	launchEach  = 3960 * units.Nanosecond
	launchItem  = 310 * units.Nanosecond
)

// LaunchItems is the number of work items that the host prepares for a GPU. A grouped operation has
// one for each send and each receive. Others have one for each thread block, and since 2.22 one for
// all blocks (addCollToPlan, then ncclPrepareTasks in src/enqueue.cc).
func (ch Choice) LaunchItems() int {
	switch {
	case sharded(ch.Op):
		return 2 * ch.Cluster.Ranks()
	case grouped(ch.Op):
		return 2
	case ch.Cluster.Release.since(22):
		return 1
	}
	return ch.Channels
}

// PyTorch records an event, launches the operation from the idle host, and records another:
// torchLaunch passes between the first event and the kernel, and the host needs torchLeast for all.
// Fitted to 8 H200 (table V8): the mean of what 2 to 16 MiB take longer than in weft, and the mean
// time from 32 to 512 KiB.
const (
	torchLaunch = 12 * units.Microsecond
	torchLeast  = 39 * units.Microsecond
)

// Reports is the time that a harness reports for an operation that takes t on the GPUs. each is the
// number of GPUs for which one thread launches, items the number of their work items.
func (h Harness) Reports(t units.Time, each, items int) units.Time {
	switch h {
	case ForAll:
		return max(t, launchFirst+units.Time(each)*(launchEach+units.Time(items-1)*launchItem))
	case Torch:
		return max(t+torchLaunch, torchLeast)
	}
	return t
}
