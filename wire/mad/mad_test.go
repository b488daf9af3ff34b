package mad

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
)

var attributes = []struct {
	of    Structure
	bytes int
}{
	{&NodeInfo{}, 40},
	{&NodeDescription{}, 64},
	{&SwitchInfo{}, 20},
	{&PortInfo{}, 64},
	{&PKeyTable{}, 64},
	{&SLToVL{}, 8},
	{&VLArb{}, 64},
	{&LinearFDB{}, 64},
	{&MulticastFDB{}, 64},
	{&GUIDInfo{}, 64},
	{&SMInfo{}, 21},
	{&Notice{}, 64},
	{&MlnxExtPortInfo{}, 16},
	{&PathRecord{}, 64},
	{&NodeRecord{}, 108},
	{&PortInfoRecord{}, 68},
	{&LinkRecord{}, 6},
	{&ServiceRecord{}, 176},
	{&SwitchInfoRecord{}, 24},
	{&LinearFDBRecord{}, 72},
	{&MulticastFDBRecord{}, 72},
	{&SLToVLRecord{}, 16},
	{&VLArbRecord{}, 72},
	{&PKeyRecord{}, 72},
	{&GUIDInfoRecord{}, 72},
	{&SMInfoRecord{}, 25},
	{&InformInfoRecord{}, 60},
	{&MCMemberRecord{}, 52},
	{&InformInfo{}, 36},
	{&ClassPortInfo{}, 72},
	{&PortCounters{}, 44},
	{&PortCountersExtended{}, 72},
	{&NoticeReport{}, 80},
}

func name(a Structure) string { return reflect.TypeOf(a).Elem().Name() }

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, a := range attributes {
		t.Run(name(a.of), func(t *testing.T) {
			for range 200 {
				noise := make([]byte, a.bytes)
				for i := range noise {
					noise[i] = byte(rng.Uint32())
				}
				if err := Parse(noise, a.of); err != nil {
					t.Fatal(err)
				}
				written := Append([]byte("before"), a.of)
				if len(written) != len("before")+a.bytes || string(written[:6]) != "before" {
					t.Fatalf("%d bytes appended, want %d behind the bytes before", len(written)-6, a.bytes)
				}
				again := reflect.New(reflect.TypeOf(a.of).Elem()).Interface().(Structure)
				if err := Parse(written[6:], again); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(a.of, again) {
					t.Fatalf("read again\n%+v\nwritten\n%+v", again, a.of)
				}
				for i := range written[6:] {
					if written[6+i]&^noise[i] != 0 {
						t.Fatalf("byte %d has new bits: %02x from %02x", i, written[6+i], noise[i])
					}
				}
			}
		})
	}
}

func TestEveryTruncationIsAnError(t *testing.T) {
	for _, a := range attributes {
		full := make([]byte, a.bytes)
		for n := range a.bytes {
			var short *ShortError
			if err := Parse(full[:n], a.of); !errors.As(err, &short) || short.Have != n || short.Need != a.bytes {
				t.Errorf("%s of %d bytes: %v", name(a.of), n, err)
			}
		}
	}
	for n := range Size {
		if _, err := FromBytes(make([]byte, n)); err == nil {
			t.Errorf("a datagram of %d bytes was accepted", n)
		}
	}
}

func TestCodecsDoNotAllocate(t *testing.T) {
	var m MAD
	var p PortInfo
	var r PathRecord
	if n := testing.AllocsPerRun(100, func() {
		Append(m.SMPData()[:0], &p)
		_ = Parse(m.SMPData(), &p)
		Append(m.SAData()[:0], &r)
		_ = Parse(m.SAData(), &r)
		m.SetRMPP(m.RMPP())
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// recorded are datagrams between real programs.
func recorded(t testing.TB) map[string]*MAD {
	t.Helper()
	f, err := os.Open("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]*MAD{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, digits, ok := strings.Cut(lines.Text(), " ")
		if !ok || name == "#" {
			continue
		}
		b, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		m := &MAD{}
		copy(m[:], b)
		all[name] = m
	}
	return all
}

func TestRecordedDatagramsAreWrittenByteByByte(t *testing.T) {
	all := recorded(t)
	for _, c := range []struct {
		name string
		of   Structure
		data func(*MAD) []byte
	}{
		{"nodeinfo", &NodeInfo{}, (*MAD).SMPData},
		{"nodedesc", &NodeDescription{}, (*MAD).SMPData},
		{"switchinfo", &SwitchInfo{}, (*MAD).SMPData},
		{"portinfo", &PortInfo{}, (*MAD).SMPData},
		{"portinfod", &PortInfo{}, (*MAD).SMPData},
		{"pkeys", &PKeyTable{}, (*MAD).SMPData},
		{"sl2vl", &SLToVL{}, (*MAD).SMPData},
		{"vlarb", &VLArb{}, (*MAD).SMPData},
		{"lft", &LinearFDB{}, (*MAD).SMPData},
		{"mft", &MulticastFDB{}, (*MAD).SMPData},
		{"sminfo", &SMInfo{}, (*MAD).SMPData},
		{"path", &PathRecord{}, (*MAD).SAData},
		{"node", &NodeRecord{}, (*MAD).SAData},
		{"pir", &PortInfoRecord{}, (*MAD).SAData},
		{"link", &LinkRecord{}, (*MAD).SAData},
		{"mc", &MCMemberRecord{}, (*MAD).SAData},
		{"classport", &ClassPortInfo{}, (*MAD).PerfData},
		{"perf", &PortCounters{}, (*MAD).PerfData},
		{"perfx", &PortCountersExtended{}, (*MAD).PerfData},
	} {
		m := all[c.name]
		if m == nil {
			t.Fatalf("%s was not recorded", c.name)
		}
		data := c.data(m)
		if err := Parse(data, c.of); err != nil {
			t.Fatal(err)
		}
		if got := Append(nil, c.of); !bytes.Equal(got, data[:len(got)]) {
			t.Errorf("%s is written\n%x, recorded\n%x", c.name, got, data[:len(got)])
		}
	}
}

// The expected values are the tools' output for the recorded datagrams.
func TestRecordedDatagramsMeanWhatTheToolsPrinted(t *testing.T) {
	all := recorded(t)
	equal := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, the tool printed %v", what, got, want)
		}
	}
	var ni NodeInfo
	_ = Parse(all["nodeinfo"].SMPData(), &ni)
	equal("NodeInfo", ni, NodeInfo{
		BaseVersion: 1, ClassVersion: 1, Type: 1, NumPorts: 1,
		SystemGUID: 0x0002c90300100004, NodeGUID: 0x0002c90300100004, PortGUID: 0x0002c90300100005,
		PartitionCap: 64, DeviceID: 0x1017, Revision: 0xa1, LocalPort: 1, VendorID: 0x0002c9,
	})
	var nd NodeDescription
	_ = Parse(all["nodedesc"].SMPData(), &nd)
	equal("NodeDescription", nd.String(), "h001 HCA-1")
	var si SwitchInfo
	_ = Parse(all["switchinfo"].SMPData(), &si)
	equal("SwitchInfo", si, SwitchInfo{
		LinearFDBCap: 30720, MulticastFDBCap: 1024, LinearFDBTop: 24, LifeTime: 18,
		PartitionEnforcementCap: 64, FilterRawInbound: true, FilterRawOutbound: true,
	})
	var sm SMInfo
	_ = Parse(all["sminfo"].SMPData(), &sm)
	equal("SMInfo", sm, SMInfo{GUID: 0x2c90200400008, SMKey: 1, ActCount: 602, State: SMMaster})
	var va VLArb
	_ = Parse(all["vlarb"].SMPData(), &va)
	equal("entry 1 of low priority", va[1], VLWeight{1, 4})
	var lft LinearFDB
	_ = Parse(all["lft"].SMPData(), &lft)
	equal("ports of LIDs 1 to 9", lft[1:10], []uint8{0, 1, 2, 3, 5, 4, 5, 5, 6})
	var pc PortCounters
	_ = Parse(all["perf"].PerfData(), &pc)
	equal("PortCounters", pc, PortCounters{Port: 1, XmitData: 936, RcvData: 936, XmitPkts: 13, RcvPkts: 13})
	var lr LinkRecord
	_ = Parse(all["link"].SAData(), &lr)
	equal("LinkRecord", lr, LinkRecord{FromLID: 2, FromPort: 1, ToPort: 1, ToLID: 1})
	var mc MCMemberRecord
	_ = Parse(all["mc"].SAData(), &mc)
	equal("MGID, MLID, rate", []any{mc.MGID.Prefix, uint64(mc.MGID.GUID), uint16(mc.MLID), mc.Rate, mc.PKey, mc.QKey, mc.Scope},
		[]any{uint64(0xff12401bffff0000), uint64(0xffffffff), uint16(0xc000), uint8(3), PKey(0xffff), uint32(0xb1b), uint8(2)})
	var pr PathRecord
	_ = Parse(all["path"].SAData(), &pr)
	equal("the path's MTU, rate, lifetime, LIDs", []any{pr.MTU, pr.Rate, pr.Lifetime, pr.DLID, pr.SLID, pr.Reversible, pr.PKey},
		[]any{uint8(4), uint8(16), uint8(0x12), pr.DLID, pr.SLID, true, DefaultPKey})
	equal("the path's LIDs", []uint16{uint16(pr.SLID), uint16(pr.DLID)}, []uint16{2, 3})
	var pi PortInfo
	_ = Parse(all["portinfod"].SMPData(), &pi)
	equal("the port's state, width, speed, MTU, extended speeds", []any{pi.State, pi.PhysState, pi.LinkSpeedActive, pi.NeighborMTU, pi.HOQLife, pi.VLStallCount, pi.LinkSpeedExtActive, pi.LinkSpeedExtCap, pi.LinkSpeedExtOn},
		[]any{PortActive, PhysLinkUp, uint8(4), uint8(4), uint8(18), uint8(7), uint8(2), uint8(7), uint8(3)})
}

func TestADirectedRouteIsReadAsItWasMade(t *testing.T) {
	m := NewDirected(Get, AttrNodeInfo, 7, 0x1234, []uint8{1, 5, 9})
	if m.HopCount() != 3 || m.InitialPath(1) != 1 || m.InitialPath(3) != 9 || m.DrSLID() != 0xFFFF || m.DrDLID() != 0xFFFF {
		t.Errorf("the route reads %d hops, first %d, last %d", m.HopCount(), m.InitialPath(1), m.InitialPath(3))
	}
	m.SetReturning()
	m.SetStatus(BadField)
	if !m.Returning() || m.Status() != BadField || m.Answers() {
		t.Errorf("returning %v, status %#x", m.Returning(), m.Status())
	}
	m[offHopCount] = 255 // more than the path has
	if m.InitialPath(m.HopCount()) != m.InitialPath(63) {
		t.Error("a hop count of 255 reaches behind the path")
	}
}

func TestARecordCountThatLiesIsCutToTheDatagram(t *testing.T) {
	m := New(SubnAdm, GetTable|Response, AttrLinkRecord, 0, 1)
	for _, c := range []struct {
		rmpp RMPP
		want int
	}{
		{RMPP{}, SADataBytes},
		{RMPP{Active: true, Last: true, Length: Payload(16)}, 16},
		{RMPP{Active: true, Last: true, Length: 1 << 31}, SADataBytes},
		{RMPP{Active: true, Last: true, Length: 3}, SADataBytes},
		{RMPP{Active: true, Length: Payload(16)}, SADataBytes},
	} {
		m.SetRMPP(c.rmpp)
		if m.RMPP() != c.rmpp {
			t.Errorf("%+v reads %+v", c.rmpp, m.RMPP())
		}
		if got := m.Records(); got != c.want {
			t.Errorf("%+v: %d bytes of records, want %d", c.rmpp, got, c.want)
		}
	}
	m.SetRecordStride(len(Append(nil, &LinkRecord{})))
	if m.RecordStride() != 8 {
		t.Errorf("records of 6 bytes are %d apart, want 8", m.RecordStride())
	}
}

func TestNoticesCarryWhatTheyTell(t *testing.T) {
	for _, d := range []Structure{
		&GIDNotice{GID{DefaultPrefix, 7}},
		&LinkStateNotice{9},
		&PortNotice{9, 3},
		&CapabilityNotice{LID: 9, OtherChanges: true, CapabilityMask: CapIsSM, Description: true},
		&MKeyNotice{LID: 9, DrSLID: 0xFFFF, Method: Set, Attribute: AttrPortInfo, Modifier: 3, MKey: 5, Directed: true, Hops: 2, Return: [30]uint8{0, 1}},
		&KeyNotice{LID1: 1, LID2: 2, Key: 0x8001, SL: 3, QP1: 4, QP2: 5, GID1: GID{1, 2}, GID2: GID{3, 4}},
		&SwitchKeyNotice{Valid: 3, LID1: 1, LID2: 2, PKey: 0x8001, SL: 3, QP1: 4, QP2: 5, GID1: GID{1, 2}, SwitchLID: 6, Port: 7},
	} {
		var n Notice
		n.SetData(d)
		again := reflect.New(reflect.TypeOf(d).Elem()).Interface().(Structure)
		n.GetData(again)
		if !reflect.DeepEqual(d, again) {
			t.Errorf("%+v reads %+v", d, again)
		}
	}
}

func TestAReportNamesItsIssuer(t *testing.T) {
	want := Notice{Generic: true, Type: NoticeManager, Producer: 4, Number: TrapInService, IssuerLID: 1}
	want.SetData(&GIDNotice{GID{DefaultPrefix, 7}})
	b := Append(nil, &NoticeReport{want, GID{DefaultPrefix, 9}})
	var got NoticeReport
	if err := Parse(b, &got); err != nil || got.Notice != want || got.Issuer != (GID{DefaultPrefix, 9}) {
		t.Errorf("%+v, %v", got, err)
	}
	if issuer := binary.BigEndian.Uint64(b[64+8:]); issuer != 9 {
		t.Errorf("the issuer's GUID behind the notice is %d, want 9", issuer)
	}
}

func TestMulticastBlocksAreTakenApart(t *testing.T) {
	for _, c := range []struct {
		block    uint16
		position uint8
	}{{0, 0}, {31, 15}, {511, 1}} {
		if b, p := SplitMulticastBlock(MulticastBlock(c.block, c.position)); b != c.block || p != c.position {
			t.Errorf("block %d position %d reads %d, %d", c.block, c.position, b, p)
		}
	}
}

// FuzzMAD reads any bytes as every structure.
func FuzzMAD(f *testing.F) {
	for _, m := range recorded(f) {
		f.Add(m[:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, a := range attributes {
			if err := Parse(b, a.of); (err == nil) != (len(b) >= a.bytes) {
				t.Errorf("%s of %d bytes: %v", name(a.of), len(b), err)
			}
		}
		m, err := FromBytes(b)
		if err != nil {
			return
		}
		for hop := range 256 {
			m.SetReturnPath(uint8(hop), m.InitialPath(uint8(hop)))
		}
		if m.Records() > SADataBytes || m.RecordStride() < 0 {
			t.Errorf("%d bytes of records, %d apart", m.Records(), m.RecordStride())
		}
	})
}
