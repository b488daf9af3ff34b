package ncclxml

import (
	"slices"
	"strings"

	"weft/internal/formats/source"
)

// models are GPUs of the catalog by their PCI device numbers (the PCI ID database).
var models = map[string]string{
	"0x2330": "h100", "0x2331": "h100-pcie", "0x2335": "h200", "0x20b0": "a100", "0x20b2": "a100", "0x2901": "b200",
	"0x74a1": "mi300x", "0x74b5": "mi300x", "0x74a5": "mi325x", "0x74b9": "mi325x", // and their virtual functions
}

// generation is the GPU model and NVLink generation of a compute capability.
type generation struct{ model, scaleUp string }

// generations are by compute capability (NCCL's topo.h has the same steps).
var generations = map[int]generation{
	70: {"v100", "nvlink-2"}, 80: {"a100", "nvlink-3"}, 90: {"h100", "nvlink-4"}, 100: {"b200", "nvlink-5"},
}

// buses are PCIe generations by their speed in GT/s.
var buses = map[string]string{"8": "gen3", "16": "gen4", "32": "gen5", "64": "gen6"}

// cluster is the node as a scenario.
func (r *reader) cluster() (*source.Cluster, *source.Problem) {
	c := &source.Cluster{Format: "NCCL topology", File: r.file, Units: []string{"speed: Mb/s", "link_speed: GT/s of a PCIe lane"}}
	for i := range r.gpus {
		if g := &r.gpus[i]; g.sm != r.gpus[0].sm || g.links != r.gpus[0].links || g.device != r.gpus[0].device || g.gcn != r.gpus[0].gcn {
			return nil, &source.Problem{File: r.file, Want: "GPUs that are alike, as those of a scenario's node are: they differ in device, sm, gcn or the number of NVLinks"}
		}
	}
	if r.gpus[0].amd {
		c.Format = "RCCL topology"
	}
	c.Field("cluster:")
	c.Field("  node:")
	c.Field("    gpus: %d", len(r.gpus))
	r.model(c)
	r.scaleUp(c)
	r.bus(c)
	ports := r.compute()
	r.ports(c, ports)
	r.direct(c, ports)
	c.Assume("the number of nodes is not in the file, nor is any fabric: both are the scenario's")
	if len(r.ignored) > 0 {
		c.Assume("elements that weft does not know are ignored: %s", strings.Join(r.ignored, ", "))
	}
	return c, nil
}

// model writes the GPU's model.
func (r *reader) model(c *source.Cluster) {
	g := &r.gpus[0]
	if m := models[g.device]; m != "" {
		c.Field("    gpu: %s", m)
		return
	}
	if m := generations[g.sm].model; m != "" && !r.gpus[0].amd {
		c.Field("    gpu: %s", m)
		c.Assume("the GPUs are %s: the file gives the compute capability %d.%d, not the model", m, g.sm/10, g.sm%10)
		return
	}
	of := ""
	if g.gcn != "" {
		of = " (" + g.gcn + ")"
	}
	c.Assume("the model of the GPUs%s is unknown: the default's stays; name it under cluster.node.gpu", of)
}

// scaleUp writes the NVLinks, or AMD's links.
func (r *reader) scaleUp(c *source.Cluster) {
	g := &r.gpus[0]
	name := generations[g.sm].scaleUp
	switch {
	case r.gpus[0].amd:
		r.infinityFabric(c)
	case g.links == 0 && g.sm > 0:
		r.pcie(c)
		c.Assume("GPUs have no NVLink: they talk over PCIe")
	case g.links == 0 || name == "":
		c.Assume("the NVLinks of the GPUs are unknown: the default's stay; give them under cluster.node.scale-up")
	case g.mesh:
		c.Field("    scale-up: {generation: %s, kind: mesh, switches: 0, multicast: false, links: %d}", name, g.links)
		c.Assume("NVLinks between GPUs are taken as a full mesh; the file may join some of the GPUs only")
	default:
		c.Field("    scale-up: {generation: %s, links: %d}", name, g.links)
	}
}

// pcie writes PCIe as the network between the GPUs.
func (r *reader) pcie(c *source.Cluster) {
	switch bus := buses[r.slowest().speed]; bus {
	case "gen4", "gen5":
		c.Field("    scale-up: pcie-%s", bus)
	case "gen3": // 8 GT/s on 16 lanes, 128b/130b
		c.Field("    scale-up: {generation: pcie-gen4, link-rate: 15.75GB/s}")
	default:
		c.Assume("the PCIe between the GPUs is unknown: the default's scale-up network stays; give it under cluster.node.scale-up")
	}
}

// slowest is the narrowest known slot of a GPU.
func (r *reader) slowest() pciLink {
	known := slices.DeleteFunc(slices.Clone(r.gpus), func(g gpu) bool { return buses[g.link.speed] == "" || g.link.width == 0 })
	if len(known) == 0 {
		return pciLink{}
	}
	return slices.MinFunc(known, func(a, b gpu) int {
		if d := strings.Compare(buses[a.link.speed], buses[b.link.speed]); d != 0 {
			return d
		}
		return a.link.width - b.link.width
	}).link
}

// bus writes the slots.
func (r *reader) bus(c *source.Cluster) {
	link := r.slowest()
	if link.width == 0 {
		c.Assume("the PCIe links of the GPUs are unknown: the default's stay; give them under cluster.node.pcie")
		return
	}
	c.Field("    pcie: {generation: %s, lanes: %d}", buses[link.speed], link.width)
}

// slowestUsual is the rate of the slowest fabric in the catalog, in Mb/s.
const slowestUsual = 25_000

// direct tells of GPUs and NICs between which NCCL takes no GPUDirect RDMA, since gdr is 0 at one of them
// (ncclTopoCheckGdr of NCCL and RCCL). The data path is the fabric's.
func (r *reader) direct(c *source.Cluster, ports []nic) {
	gpus, nics := 0, 0
	for _, g := range r.gpus {
		gpus += one(g.noGDR)
	}
	for _, n := range ports {
		nics += one(n.noGDR)
	}
	if gpus > 0 || nics > 0 {
		c.Assume("%d of %d GPUs and %d of %d NICs have no GPUDirect RDMA (gdr=\"0\"), and NCCL sends their data through host memory: the data path is the fabric's, which stays; give host: rdma-host in the fabric",
			gpus, len(r.gpus), nics, len(ports))
	}
}

// one is 1 for true.
func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// compute are the compute NICs: those on PCI, if there are any.
func (r *reader) compute() []nic {
	ports := slices.DeleteFunc(slices.Clone(r.nics), func(n nic) bool { return !n.pci })
	if len(ports) == 0 {
		return r.nics
	}
	return ports
}

// ports writes the compute NICs.
func (r *reader) ports(c *source.Cluster, ports []nic) {
	if len(ports) == 0 {
		c.Assume("the file has no NIC: the default's stay; give them under cluster.node.nics")
		return
	}
	if others := len(r.nics) - len(ports); others > 0 {
		c.Assume("%d ports that hang on no PCI device (sockets) are left out", others)
	}
	c.Field("    nics: %d", len(ports))
	slowest := slices.MinFunc(ports, func(a, b nic) int { return a.mbps - b.mbps })
	switch {
	case slowest.mbps == 0:
		c.Assume("the rate of the NICs is unknown: the default's stays; give it under cluster.node.nic")
		return
	case slowest.mbps < slowestUsual: // NCCL gives sockets of an unknown rate 10 Gb/s
		c.Assume("a NIC has %d Mb/s, for which there is no usual fabric: the default's rate stays; give it under cluster.node.nic, with fabrics", slowest.mbps)
		return
	}
	c.Field("    nic: {rate: %dMbps}", slowest.mbps)
}
