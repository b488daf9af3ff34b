package cli

import (
	"fmt"
	"slices"

	"weft/internal/ib/partition"
	"weft/internal/ib/qos"
	"weft/internal/ib/sm"
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// readPartitions reads a partitions.conf for a manager.
func readPartitions(e *Env, path string) (func(sm.EndPort) []mad.PKey, error) {
	f, err := e.open(path)
	if err != nil {
		return nil, fmt.Errorf("the partitions cannot be read: %w", err)
	}
	defer f.Close()
	c, err := partition.Read(path, f)
	if err != nil {
		return nil, err
	}
	return partitionsOf(c), nil
}

// partitionsOf are the keys of each port, as OpenSM assigns them. A partition without a key gets
// the lowest free key, from 1 on.
func partitionsOf(c *partition.Config) func(sm.EndPort) []mad.PKey {
	numbered, taken := &partition.Config{Partitions: slices.Clone(c.Partitions)}, map[uint16]bool{}
	for i := range c.Partitions {
		taken[c.Partitions[i].Key] = true
	}
	next := uint16(1)
	for i := range numbered.Partitions {
		if numbered.Partitions[i].Key != 0 {
			continue
		}
		for taken[next] {
			next++
		}
		numbered.Partitions[i].Key, taken[next] = next, true
	}
	return func(port sm.EndPort) (table []mad.PKey) {
		for _, key := range numbered.Table(func(m *partition.Member) bool { return covers(m, port) }, port.Self) {
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
func readQoS(e *Env, path string) (func(subnet.Kind, uint8) sm.QoS, error) {
	f, err := e.open(path)
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
