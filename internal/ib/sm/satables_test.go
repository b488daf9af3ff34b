package sm_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// The records of a switch's forwarding table equal the table in the switch.
func TestTableRecordsAreWhatSwitchesHold(t *testing.T) {
	o := open(t, topology.TwoLevel{Endpoints: 8, Radix: 4}, sm.Config{})
	for i := range o.subnet.Nodes {
		if o.subnet.Nodes[i].Kind != subnet.Switch {
			continue
		}
		lid := o.fabric.LID(subnet.End{Node: int32(i)})
		d := o.one(mad.Get, mad.AttrLinearRecord, mad.RecLID|mad.BlockRecBlock, &mad.LinearFDBRecord{LID: lid})
		var r mad.LinearFDBRecord
		_ = mad.Parse(d.SAData(), &r)
		p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, mad.AttrLinearFDB, 0, 1, nil)}
		if _, outcome := o.fabric.Carry(subnet.End{Node: int32(i)}, &p); outcome != sma.Answered {
			t.Fatalf("the switch does not answer: %v", outcome)
		}
		var held mad.LinearFDB
		_ = mad.Parse(p.MAD.SMPData(), &held)
		if d.Status() != mad.OK || r.LID != lid {
			t.Fatalf("status %#x, LID %d, want %d", d.Status(), r.LID, lid)
		}
		if r.Table != held {
			t.Errorf("%s holds\n%v, the record says\n%v", o.subnet.Nodes[i].Name, held, r.Table)
		}
	}
}

// A query by a component that selects no record is refused, and so is a query for
// partition keys without the manager's key. No answer holds that key.
func TestTableRecordsGoOnlyToAuthorisedQueries(t *testing.T) {
	const key = 7
	o := open(t, topology.SingleSwitch{Endpoints: 4}, sm.Config{SMKey: key, Partitions: func(sm.EndPort) []mad.PKey { return []mad.PKey{mad.DefaultPKey, 0x8001} }})
	for _, attr := range []mad.Attribute{
		mad.AttrSwitchRecord, mad.AttrLinearRecord, mad.AttrMCastRecord, mad.AttrSLToVLRecord, mad.AttrVLArbRecord,
		mad.AttrPKeyRecord, mad.AttrGUIDInfoRecord, mad.AttrSMInfoRecord, mad.AttrInformRecord,
	} {
		if d := o.one(mad.Get, attr, 1<<40, &mad.LinearFDBRecord{}); d.Status() != mad.ReqInvalid {
			t.Errorf("attribute %#x by an unknown component: status %#x, want %#x", uint16(attr), d.Status(), mad.ReqInvalid)
		}
		if d := o.one(mad.Delete, attr, 0, &mad.LinearFDBRecord{}); d.Status() != mad.BadMethod {
			t.Errorf("attribute %#x deleted: status %#x, want %#x", uint16(attr), d.Status(), mad.BadMethod)
		}
	}
	want := &mad.PKeyRecord{LID: o.lid(1)}
	if d := o.one(mad.Get, mad.AttrPKeyRecord, mad.RecLID, want); d.Status() != mad.ReqInvalid {
		t.Errorf("keys without the manager's key: status %#x, want %#x", d.Status(), mad.ReqInvalid)
	}
	d := o.one(mad.Get, mad.AttrSMInfoRecord, 0, &mad.SMInfoRecord{})
	var r mad.SMInfoRecord
	_ = mad.Parse(d.SAData(), &r)
	if d.Status() != mad.OK || r.Info.State != mad.SMMaster || r.Info.SMKey != 0 {
		t.Errorf("status %#x, %+v; want the master, without its key", d.Status(), r.Info)
	}
}

// While a sweep looks at the fabric again, queries are answered from the sweep before.
func TestPartitionKeysAreToldDuringASweep(t *testing.T) {
	o := open(t, topology.TwoLevel{Endpoints: 8, Radix: 4}, sm.Config{Partitions: func(sm.EndPort) []mad.PKey {
		return []mad.PKey{mad.DefaultPKey, 0x8001}
	}})
	told := func(sweep bool) int {
		o.asker.answers = nil
		if sweep {
			o.call(o.master, func(b *sm.Batch) { o.master.m.Sweep(o.now, b) })
		}
		o.query(o.asker, o.lid(0), mad.New(mad.SubnAdm, mad.GetTable, mad.AttrPKeyRecord, 0, 42))
		o.run(units.Second)
		if len(o.asker.answers) == 0 {
			t.Fatalf("no answer (during a sweep: %v)", sweep)
		}
		return int(o.asker.answers[0].RMPP().Length)
	}
	if before, during := told(false), told(true); before != during || before == 0 {
		t.Errorf("the answer has %d bytes, during a sweep %d", before, during)
	}
}
