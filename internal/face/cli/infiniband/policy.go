package infiniband

import (
	"encoding/binary"
	"fmt"

	"weft/internal/face/cli/process"
	"weft/internal/ib/partition"
	"weft/internal/ib/qos"
	"weft/internal/ib/sm"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// readPartitions reads a partitions.conf for a manager: the keys of ports, the multicast groups, and
// with quality of service the levels of paths.
func (r *smRun) readPartitions(e *process.Env, cfg *sm.Config) error {
	f, err := e.Open(r.parts)
	if err != nil {
		return fmt.Errorf("the partitions cannot be read: %w", err)
	}
	defer f.Close()
	c, err := partition.Read(r.parts, f)
	if err != nil {
		return err
	}
	c = c.Numbered()
	c.BothKeys = r.site.bothKeys
	cfg.Partitions = partitionsOf(c)
	multicasts, refused := partition.Multicasts(c, cfg.QoS != nil)
	cfg.Groups = groupsOf(multicasts)
	for _, why := range refused {
		r.site.untaken = append(r.site.untaken, r.parts+": "+why)
	}
	if c.Both() && !c.BothKeys {
		r.site.untaken = append(r.site.untaken, r.parts+": both counts as full, because allow_both_pkeys of --config is not TRUE")
	}
	switch levels := c.Levels(); {
	case len(levels) == 0:
	case cfg.QoS != nil:
		cfg.Level = func(key mad.PKey) units.SL { return units.SL(levels[uint16(key.Partition())]) }
	default:
		r.site.untaken = append(r.site.untaken, r.parts+": sl of partitions, because quality of service is off (qos TRUE in --config)")
	}
	return nil
}

// groupsOf is the records of multicast groups, never nil.
func groupsOf(groups []partition.Multicast) []mad.MCMemberRecord {
	records := make([]mad.MCMemberRecord, 0, len(groups))
	for i := range groups {
		g := &groups[i]
		records = append(records, mad.MCMemberRecord{
			MGID: mad.GID{Prefix: binary.BigEndian.Uint64(g.MGID[:8]), GUID: units.GUID(binary.BigEndian.Uint64(g.MGID[8:]))},
			QKey: g.QKey, MTU: g.MTU, Rate: g.Rate, TClass: g.TClass, PKey: mad.PKey(g.Key), SL: units.SL(g.SL),
			FlowLabel: g.FlowLabel, HopLimit: g.HopLimit, Scope: g.Scope,
		})
	}
	return records
}

// partitionsOf are the keys of each port, as OpenSM assigns them.
func partitionsOf(c *partition.Config) func(sm.EndPort) []mad.PKey {
	return func(port sm.EndPort) (table []mad.PKey) {
		for _, key := range c.Table(func(m *partition.Member) bool { return covers(m, port) }, port.Self) {
			table = append(table, mad.PKey(key))
		}
		return table
	}
}

// covers reports whether a rule concerns a port.
func covers(m *partition.Member, port sm.EndPort) bool {
	switch m.Who {
	case partition.Port:
		return m.GUID == port.GUID
	case partition.All:
		return true
	case partition.AllAdapters:
		return port.Kind == subnet.Adapter
	case partition.AllSwitches:
		return port.Kind == subnet.Switch
	case partition.AllRouters:
		return port.Kind == subnet.Router
	case partition.Self:
		return port.Self
	}
	return false
}

// readQoS reads the QoS keys of an opensm.conf for a manager; nil if the file turns quality of
// service off.
func readQoS(e *process.Env, path string) (func(subnet.Kind, uint8) sm.QoS, error) {
	f, err := e.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the quality of service cannot be read: %w", err)
	}
	defer f.Close()
	c, err := qos.Read(path, f)
	if err != nil || !c.Enabled {
		return nil, err
	}
	return func(kind subnet.Kind, port uint8) sm.QoS {
		class := qos.Adapters
		switch {
		case kind == subnet.Router:
			class = qos.Routers
		case kind == subnet.Switch && port == 0:
			class = qos.SwitchZero
		case kind == subnet.Switch:
			class = qos.SwitchPorts
		}
		return qosOf(c.Of(class))
	}, nil
}

func qosOf(s qos.Set) sm.QoS {
	out := sm.QoS{HighLimit: s.HighLimit, High: weights(s.High), Low: weights(s.Low)}
	if s.MaxVLs != nil {
		out.MaxVLs = *s.MaxVLs
	}
	if s.SL2VL != nil {
		table := mad.SLToVL(*s.SL2VL)
		out.SL2VL = &table
	}
	return out
}

func weights(entries []qos.Weight) []mad.VLWeight {
	var out []mad.VLWeight
	for _, w := range entries {
		out = append(out, mad.VLWeight{VL: w.VL, Weight: w.Blocks})
	}
	return out
}
