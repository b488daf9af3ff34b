// Package flight reads what each rank of a job recorded of its collectives: the flight recorder of PyTorch, as JSON, and
// NCCL Inspector. It names the ranks for which the others wait.
//
// # Model
//
// A collective ends at all ranks at about the same time, and its kernel waits for the last rank to arrive. So the rank
// that arrives last has the shortest kernel, and the difference to the others is how long they wait for it. Durations are
// of one clock each; so they need no common clock. Without durations the times at which hosts enqueued the collective
// are compared, which is worth as much as the hosts' clocks agree.
//
// A network that is slow for all makes all kernels longer alike, and no rank late.
//
// # Files of the package
//
//	fleet.go      the events of a job; which form a file has
//	torch.go      the flight recorder of PyTorch
//	inspector.go  NCCL Inspector
//	late.go       ranks for which the others wait
//
// Sources: pytorch/pytorch, torch/csrc/distributed/c10d/FlightRecorder.hpp and torch/distributed/flight_recorder/components;
// NVIDIA/nccl@5067397c, plugins/profiler/inspector (inspector_json.cc, README.md).
//
// # Limits
//
// The flight recorder's times of discovery are those of its watchdog, which looks every 100 ms or so; they are not used. Its
// durations need TORCH_NCCL_ENABLE_TIMING=1. Dumps are pickles by default, which are programs: they are refused, with the
// command that makes JSON of them.
package flight
