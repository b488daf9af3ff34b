package weft

import "weft/internal/sim/runstore"

// Never is the time of an event that did not happen.
const Never = runstore.Never

// The results of a run. Times are simulated; bandwidths are in GB/s of 10⁹ bytes.
type (
	// Results is what [Run] found. Encode gives the text of results.json.
	Results = runstore.Results
	// FabricResult is the results of a fabric, with a point for each size.
	FabricResult = runstore.FabricResult
	// Point is the result of a size on a fabric: the time, the algorithm and bus bandwidth of
	// nccl-tests, and the counts of the network.
	Point = runstore.Point
	// SeedTimes is the times of a size by seed, with the 95 % confidence interval of the mean, in
	// picoseconds.
	SeedTimes = runstore.Seeds
	// MessageTimes is the distribution of the completion times of messages.
	MessageTimes = runstore.Distribution
	// Counts is how often things happened in the network: packets, pauses, marks, drops.
	Counts = runstore.Counts
	// HotLink is a busy link.
	HotLink = runstore.HotLink
	// LinkSource is the part of a link's load that comes from one sender.
	LinkSource = runstore.LinkSource
	// LevelResult is the messages of an InfiniBand service level.
	LevelResult = runstore.Level
	// StreamResult is what a stream beside a collective reached.
	StreamResult = runstore.Stream
	// Reduction is the aggregation trees of switches that reduce.
	Reduction = runstore.Reduction
	// SwitchRange is the time of a size with the switches as fast and as slow as sources say.
	SwitchRange = runstore.SwitchRange
)

// The results of flow control, keys and faults.
type (
	// Pauses is which ports paused which by PFC.
	Pauses = runstore.Pauses
	// PausedLink is a sender that was paused in a priority.
	PausedLink = runstore.PausedLink
	// PausedFlow is a message that crosses paused links.
	PausedFlow = runstore.PausedFlow
	// Violation is a port that discarded packets for their P_Key, Q_Key or VRF.
	Violation = runstore.Violation
	// Traps is the traps of an InfiniBand fabric about violations.
	Traps = runstore.Traps
	// KeyCounts is the counters of a port for violations of keys.
	KeyCounts = runstore.KeyCounts
	// ControlResult is what the control plane of a fabric did.
	ControlResult = runstore.Control
	// BringUp is how a Subnet Manager brought the subnet up, phase by phase.
	BringUp = runstore.BringUp
	// RecoveryResult is how a control plane recovered from a fault.
	RecoveryResult = runstore.Recovery
	// FaultResult is the effect of faults on the messages of a size.
	FaultResult = runstore.FaultPoint
)
