package streams

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
)

// The capsules of NVMe over Fabrics on RDMA: a command is a submission queue entry, a
// response a completion queue entry (NVMe over Fabrics 1.1, 2.1; NVMe base
// specification, 4.2 and 4.6; both R). Data are not in the command's capsule.
const (
	commandBytes  = 64
	responseBytes = 16
)

// nvme is the state of a stream of NVMe-oF. The queue pair keeps the order, so the oldest command
// arrives next, and likewise with responses and data.
type nvme struct {
	peer      units.QPN // the target's end
	commanded []uint64  // slots whose command is in flight or at the target
}

// isNVMe reports whether a stream's messages are commands of NVMe-oF.
func isNVMe(o scenario.StreamOperation) bool {
	return o == scenario.StreamNVMeRead || o == scenario.StreamNVMeWrite
}

// command sends the command of a slot to the target.
func (b *Streams) command(p *fabric.Partition, s *stream, slot uint64) {
	s.nvme.commanded = append(s.nvme.commanded, slot)
	b.post(p, int32(s.spec.Src), s.end, transport.WorkRequest{Op: transport.OpSend, Length: commandBytes, Unsignaled: true})
}

// atTarget is the target's reaction to a command, or to the data that it fetched. The data of a
// read goes to the host's memory, directly followed by the response; the data of a write is fetched
// from there first.
func (b *Streams) atTarget(p *fabric.Partition, s *stream, c *transport.Completion) {
	target := int32(s.spec.Dst)
	data := transport.WorkRequest{Op: transport.OpWrite, Length: uint32(s.spec.Bytes), Unsignaled: true}
	switch {
	case c.Recv && s.spec.Operation == scenario.StreamNVMeWrite:
		data.Op, data.Unsignaled = transport.OpRead, false
		b.post(p, target, s.nvme.peer, data)
		return
	case c.Recv:
		b.post(p, target, s.nvme.peer, data)
	}
	b.post(p, target, s.nvme.peer, transport.WorkRequest{Op: transport.OpSend, Length: responseBytes, Unsignaled: true})
}

// response ends the oldest command, and returns its slot.
func (s *stream) response() uint64 {
	slot := s.nvme.commanded[0]
	s.nvme.commanded = s.nvme.commanded[:copy(s.nvme.commanded, s.nvme.commanded[1:])]
	return slot
}
