package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"weft/scenario"
	"weft/units"
)

// constant is a number of the model that can be fitted: a field of the scenario, which a search
// multiplies by a factor.
type constant struct {
	name  string // in the form of --fit
	set   string // its set
	field string // its path in an overlay: fabric means every fabric of a scenario
	// value is the field's value as a number that a factor multiplies; text is such a number in the
	// form of a scenario.
	value func(*scenario.Resolved) float64
	text  func(float64) string
	// Bounds of the factor.
	least, most float64
}

// constants are all constants that can be fitted, by set.
var constants = []constant{
	ratioConstant("base", func(n *scenario.NCCL) scenario.Ratio { return n.Base }),
	ratioConstant("step-local", func(n *scenario.NCCL) scenario.Ratio { return n.StepLocal }),
	ratioConstant("step-network", func(n *scenario.NCCL) scenario.Ratio { return n.StepNetwork }),
	ratioConstant("proxy", func(n *scenario.NCCL) scenario.Ratio { return n.Proxy }),
	ratioConstant("turn", func(n *scenario.NCCL) scenario.Ratio { return n.Turn }),
	ratioConstant("kernel", func(n *scenario.NCCL) scenario.Ratio { return n.Kernel }),
	timeConstant("post", "fabric.host.post", func(r *scenario.Resolved) units.Time { return r.Fabrics[0].Host.Post }),
	timeConstant("poll", "fabric.host.poll", func(r *scenario.Resolved) units.Time { return r.Fabrics[0].Host.Poll }),
	timeConstant("nic-tx", "fabric.nic.tx-pipeline", func(r *scenario.Resolved) units.Time { return r.Fabrics[0].NIC.TxPipeline }),
	timeConstant("nic-rx", "fabric.nic.rx-pipeline", func(r *scenario.Resolved) units.Time { return r.Fabrics[0].NIC.RxPipeline }),
	timeConstant("pcie-latency", "cluster.node.pcie.latency", func(r *scenario.Resolved) units.Time { return r.Cluster.Node.PCIe.Latency }),
	rateConstant("peer-rate", "cluster.node.pcie.peer-rate", func(r *scenario.Resolved) units.Rate { return r.Cluster.Node.PCIe.PeerRate }),
	rateConstant("nvlink-rate", "cluster.node.scale-up.link-rate", func(r *scenario.Resolved) units.Rate { return r.Cluster.Node.ScaleUp.LinkRate }),
}

// ConstantNames are the names of all constants and of their sets, for --fit.
func ConstantNames() (names []string) {
	for _, c := range constants {
		if !slices.Contains(names, c.set) {
			names = append(names, c.set)
		}
	}
	for _, c := range constants {
		names = append(names, c.name)
	}
	return names
}

// constantsOf are the constants of the given names and sets, each once.
func constantsOf(names []string) (out []constant, err error) {
	for _, name := range names {
		found := false
		for _, c := range constants {
			if c.name != name && c.set != name {
				continue
			}
			found = true
			if !slices.ContainsFunc(out, func(o constant) bool { return o.name == c.name }) {
				out = append(out, c)
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no constant %q to fit: the sets and constants are %s", name, strings.Join(ConstantNames(), ", "))
		}
	}
	return out, nil
}

// path is the path of the constant in a cluster's scenario.
func (k *constant) path(c *Cluster) string {
	if rest, ok := strings.CutPrefix(k.field, "fabric."); ok {
		return c.path("." + rest)
	}
	return k.field
}

// ratioConstant is a factor on one of NCCL's figures.
func ratioConstant(name string, of func(*scenario.NCCL) scenario.Ratio) constant {
	return constant{
		name: name, set: "nccl", field: "nccl." + name, least: .05, most: 20,
		value: func(r *scenario.Resolved) float64 { return of(&r.NCCL).Float() },
		text:  func(x float64) string { return fmt.Sprintf("%.4f", x) },
	}
}

// timeConstant is a time of the host's.
func timeConstant(name, field string, of func(*scenario.Resolved) units.Time) constant {
	return constant{
		name: name, set: "host", field: field, least: .05, most: 20,
		value: func(r *scenario.Resolved) float64 { return float64(of(r)) },
		text:  func(x float64) string { return units.Time(x).Exact() },
	}
}

// rateConstant is a rate, within a factor of two of its figure: beyond that it would be another
// device.
func rateConstant(name, field string, of func(*scenario.Resolved) units.Rate) constant {
	return constant{
		name: name, set: "rates", field: field, least: .5, most: 2,
		value: func(r *scenario.Resolved) float64 { return float64(of(r)) },
		text:  func(x float64) string { return (units.Rate(x) / units.Mbps * units.Mbps).Exact() },
	}
}
