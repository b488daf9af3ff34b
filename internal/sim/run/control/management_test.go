package control_test

import (
	"encoding/binary"
	"testing"

	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
	"weft/internal/test/simtest"
	"weft/units"
	"weft/wire/mad"
)

// managed is the management of 40 hosts on a switch, and the fabric's plan.
func managed(t *testing.T) (*control.Management, *network.Plan) {
	t.Helper()
	r := simtest.Resolve(t, "cluster: {nodes: 40, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: single-switch}\nfabrics: [infiniband-ndr]\nworkload: {collective: all-reduce, sizes: [1MiB]}\n")
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	g, err := control.NewManagement(p, &r.Control)
	if err != nil {
		t.Fatal(err)
	}
	return g, p
}

// ask asks from a NIC, and gives the answer's first datagram with its length.
func ask(t *testing.T, g *control.Management, nic int32, to units.LID, d mad.MAD) (first mad.MAD, length int) {
	t.Helper()
	_, answer := g.Ask(nic, to, &d)
	copy(first[:], answer)
	if answer != nil && first.TID() != d.TID() {
		t.Errorf("transaction %#x of the answer, want %#x", first.TID(), d.TID())
	}
	return first, len(answer)
}

// portInfo is the PortInfo of a NIC's own port, by a directed route without hops.
func portInfo(t *testing.T, g *control.Management, nic int32) (info mad.PortInfo) {
	t.Helper()
	d := mad.New(mad.SubnDirected, mad.Get, mad.AttrPortInfo, 0, 1<<40|uint64(nic))
	binary.BigEndian.PutUint32(d[32:], 0xffff_ffff) // both LIDs permissive
	answer, n := ask(t, g, nic, units.PermissiveLID, d)
	if n != mad.Size || mad.Parse(answer.SMPData(), &info) != nil {
		t.Fatalf("the port of NIC %d has no PortInfo: %d bytes", nic, n)
	}
	return info
}

func TestEveryPortIsActiveWithALIDOfItsOwn(t *testing.T) {
	g, p := managed(t)
	seen := map[units.LID]bool{}
	for nic := range p.Graph.Endpoints {
		info := portInfo(t, g, int32(nic))
		if info.State != mad.PortActive || info.LID == 0 || seen[info.LID] || info.MasterSMLID != 1 {
			t.Errorf("NIC %d: state %v, LID %d, Subnet Manager %d", nic, info.State, info.LID, info.MasterSMLID)
		}
		seen[info.LID] = true
	}
}

// The records of 41 nodes, 112 bytes each, take 23 segments of 200 bytes. A program gets them in one piece.
func TestAProgramGetsALongAnswerInOnePiece(t *testing.T) {
	g, p := managed(t)
	const header, record, all = 56, 112, 41
	for _, nic := range []int32{7, 0} { // the Subnet Manager is on NIC 0
		first, n := ask(t, g, nic, 1, mad.New(mad.SubnAdm, mad.GetTable, mad.AttrNodeRecord, 0, 1<<63|77))
		if first.Status() != mad.OK || first.RecordStride() != record || n != header+all*record {
			t.Errorf("from NIC %d: status %v, records of %d bytes, %d bytes; want %d records of %d", nic, first.Status(), first.RecordStride(), n, all, record)
		}
	}
	if p.Graph.Endpoints != all-1 {
		t.Fatalf("%d NICs", p.Graph.Endpoints)
	}
	none := mad.New(mad.SubnAdm, mad.GetTable, mad.AttrServiceRecord, 0, 5)
	if first, n := ask(t, g, 3, 1, none); first.Status() != mad.OK || n != header {
		t.Errorf("a table without records: status %v, %d bytes, want %d", first.Status(), n, header)
	}
}

func TestAMemberJoinsAndLeavesAGroup(t *testing.T) {
	g, _ := managed(t)
	group := mad.MCMemberRecord{MGID: mad.GID{Prefix: 0xff01_0000_02c9_8500}, PortGID: mad.GID{Prefix: mad.DefaultPrefix, GUID: 99}, QKey: 0x11111111, PKey: mad.DefaultPKey, JoinState: mad.JoinFull}
	member := func(method mad.Method) (mad.MCMemberRecord, mad.Status) {
		d := mad.New(mad.SubnAdm, method, mad.AttrMCMemberRecord, 0, 4)
		d.SetComponentMask(mad.MCMGID | mad.MCPortGID | mad.MCJoinState | mad.MCQKey | mad.MCTClass | mad.MCPKey | mad.MCSL | mad.MCFlowLabel)
		mad.Append(d.SAData()[:0], &group)
		answer, _ := ask(t, g, 5, 1, d)
		var out mad.MCMemberRecord
		_ = mad.Parse(answer.SAData(), &out)
		return out, answer.Status()
	}
	if r, status := member(mad.Set); status != mad.OK || r.MLID != units.FirstMulticastLID+1 || r.PortGID != group.PortGID {
		t.Errorf("join: status %v, multicast LID %#x, want the one behind the broadcast group's", status, r.MLID)
	}
	if _, status := member(mad.Delete); status != mad.OK {
		t.Errorf("leave: status %v", status)
	}
	if _, status := member(mad.Delete); status != mad.NoRecords {
		t.Errorf("leave twice: status %v, want no records", status)
	}
}

func TestAProgramChangesNoSettings(t *testing.T) {
	g, _ := managed(t)
	d := mad.New(mad.SubnLID, mad.Set, mad.AttrPortInfo, 1, 9)
	if _, n := ask(t, g, 2, 1, d); n != 0 {
		t.Errorf("a Set of PortInfo is answered with %d bytes", n)
	}
	if _, n := ask(t, g, 2, 4000, mad.New(mad.Perf, mad.Get, mad.AttrPortCounters, 0, 9)); n != 0 {
		t.Errorf("a LID that nobody has answers with %d bytes", n)
	}
}

func TestACutCableIsDownUntilItIsMended(t *testing.T) {
	g, p := managed(t)
	const nic = 6
	cable := p.Graph.Nodes[nic].Cables[0]
	for _, want := range []struct {
		down  bool
		state mad.PortState
	}{{true, mad.PortDown}, {false, mad.PortActive}} {
		g.Cut(p, cable, want.down)
		if info := portInfo(t, g, nic); info.State != want.state {
			t.Errorf("cut %v: the port is %v, want %v", want.down, info.State, want.state)
		}
		info := portInfo(t, g, 8)
		_, n := ask(t, g, nic, info.LID, mad.New(mad.Perf, mad.Get, mad.AttrClassPortInfo, 0, 3))
		if reached := n == mad.Size; reached == want.down {
			t.Errorf("cut %v: another NIC is reached: %v", want.down, reached)
		}
	}
}
