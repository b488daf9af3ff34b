package hpcc

import (
	"bytes"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// Reading any files ends with a case that can be used or with problems that have text.
func FuzzRead(f *testing.F) {
	for _, dir := range references(f) {
		f.Add(text(f, dir, ConfigFile), text(f, dir, topologyName), text(f, dir, flowName))
	}
	transcripts, err := filepath.Glob("testdata/problems/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range transcripts {
		folder, _ := transcript(text(f, file))
		one := func(name string) string {
			if m := folder[name]; m != nil {
				return string(m.Data)
			}
			return ""
		}
		f.Add(one(ConfigFile), one(topologyName), one(flowName))
	}
	f.Fuzz(func(t *testing.T, config, topology, flow string) {
		c, err := Read(fstest.MapFS{
			ConfigFile:   &fstest.MapFile{Data: []byte(config)},
			topologyName: &fstest.MapFile{Data: []byte(topology)},
			flowName:     &fstest.MapFile{Data: []byte(flow)},
		})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without text")
			}
			return
		}
		if c.Topology.Nodes > 300 {
			return
		}
		r, err := NextHops(&c.Topology, c.Config.Payload)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range c.Baselines() {
			flow := &c.Flows[i]
			if b.Rate <= 0 || b.RTT < 0 || r.Pick(flow.Src, flow.Dst, flow.Key()) == 0 {
				t.Fatalf("flow %+v was accepted, and has no path: %+v", flow, b)
			}
		}
	})
}

// Results that are written are read back.
func FuzzResults(f *testing.F) {
	for _, dir := range references(f) {
		f.Add(text(f, dir, "fct.txt"), text(f, dir, "pfc.txt"))
	}
	f.Add("0b000001 0b000101 10000 100 1 2 3 4\n", "1 2 0 3 1\n2 2 1 3")
	f.Fuzz(func(t *testing.T, fct, pfc string) {
		if flows, err := ParseFCT("fct.txt", fct); err == nil {
			var b bytes.Buffer
			if err := WriteFCT(&b, flows); err != nil {
				t.Fatal(err)
			}
			again, err := ParseFCT("fct.txt", b.String())
			if err != nil || len(again) != len(flows) {
				t.Fatalf("%q is written as %q, which is not read: %v", fct, b.String(), err)
			}
		}
		if frames, _, err := parsePFC("pfc.txt", pfc); err == nil {
			var b bytes.Buffer
			if err := WritePFC(&b, frames); err != nil {
				t.Fatal(err)
			}
			again, complete, err := parsePFC("pfc.txt", b.String())
			if err != nil || !complete || len(again) != len(frames) {
				t.Fatalf("%q is written as %q, which is not read: %v", pfc, b.String(), err)
			}
		}
	})
}
