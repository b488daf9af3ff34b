package simai

import (
	"fmt"

	"weft/internal/formats/source"
)

// models are SimAI's names of GPUs in the catalog.
var models = map[string]string{"A100": "a100", "H100": "h100", "H200": "h200"}

// other is the problem of a topology that is not a fabric.
func (t *topology) other(format string, args ...any) *source.Problem {
	return &source.Problem{File: t.lines.File, Want: "GPUs that are on NVSwitches of their servers alike and on switches of a fabric: " + fmt.Sprintf(format, args...)}
}

// fabric separates the links of the NVSwitches from the links of the fabric.
func (t *topology) fabric() (nvlink link, fabric []source.Link, p *source.Problem) {
	for _, l := range t.links {
		low, high := min(l.a, l.b), max(l.a, l.b)
		inServer := high >= t.gpus() && high < t.firstSwitch()
		switch {
		case inServer && low < t.gpus():
			if nvlink.rate == 0 {
				nvlink = l
			} else if nvlink.rate != l.rate || nvlink.latency != l.latency {
				return link{}, nil, t.other("the link of %d and %d has another rate or latency than other links of its kind", l.a, l.b)
			}
		case inServer || low >= t.gpus() && low < t.firstSwitch():
			return link{}, nil, t.other("nodes %d and %d are joined", l.a, l.b)
		default:
			fabric = append(fabric, source.Link{A: l.a, B: l.b, Rate: l.rate, Latency: l.latency})
		}
	}
	if nvlink.rate == 0 {
		return link{}, nil, t.other("no GPU is on an NVSwitch")
	}
	return nvlink, fabric, nil
}

// cluster is the topology as a scenario.
func (t *topology) cluster() (*source.Cluster, *source.Problem) {
	nvlink, links, p := t.fabric()
	if p != nil {
		return nil, p
	}
	gpus := make([]int, t.gpus())
	for i := range gpus {
		gpus[i] = i
	}
	regular, notRegular := source.FindLeafSpine(gpus, t.perServer, links)
	listed, err := source.ListLinks(gpus, t.perServer, links)
	if err != nil {
		return nil, t.other("%v", err)
	}
	c := &source.Cluster{Format: "SimAI topology", File: t.lines.File, Nodes: t.servers(), Units: []string{"rates and latencies have theirs in the file"}}
	model := ""
	if m := models[t.gpu]; m != "" {
		model = ", gpu: " + m
	} else {
		c.Assume("the catalog has no %s: the model of the default's GPUs stays", t.gpu)
	}
	if t.lossy > 0 {
		c.Assume("the loss of %d links, up to %g of their packets, is left out: no packet is lost on a cable", t.lossy, t.loss)
	}
	nics, rate, ports := t.perServer, listed.Rate, ""
	if notRegular != nil {
		nics = listed.NICs
	} else {
		ports = regular.Ports()
	}
	c.Field("cluster:")
	c.Field("  nodes: %d", t.servers())
	c.Field("  node: {gpus: %d%s, nics: %d, nic: {rate: %s%s}, scale-up: {links: 1, link-rate: %s, switches: 1, latency: %s}}",
		t.perServer, model, nics, rate.Exact(), ports, nvlink.rate.Exact(), (2 * nvlink.latency).Exact())
	if notRegular != nil {
		c.Assume("the fabric is taken cable by cable, since it is no regular one: %v", notRegular)
		listed.Scenario(c)
	} else {
		regular.Scenario(c)
	}
	return c, nil
}
