package ncclxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/formats/source"
)

// gpu is a GPU of the node.
type gpu struct {
	device string // PCI device number, such as 0x2330; empty if unknown
	sm     int    // compute capability times ten; 0 if unknown
	links  int    // of NVLink
	mesh   bool   // some link ends at another GPU
	link   pciLink
	bus    string // PCI address
	amd    bool
	gcn    string         // AMD's name of the architecture, such as gfx942; empty if unknown
	xgmi   map[string]int // links by the address of the GPU at their end
	noGDR  bool           // the file says that it has no GPUDirect RDMA
}

// pciLink is the slot of a device; 0 if unknown.
type pciLink struct {
	speed string // in GT/s
	width int
}

// nic is a network port of the node.
type nic struct {
	mbps  int // 0 if unknown
	pci   bool
	noGDR bool // the file says that it has no GPUDirect RDMA
}

// Recognise reports whether a text begins as a topology does.
func Recognise(head []byte) bool {
	return bytes.Contains(head, []byte("<system version=")) && bytes.Contains(head, []byte("<cpu"))
}

// reader is the state of Read.
type reader struct {
	file    string
	decoder *xml.Decoder
	gpus    []gpu
	nics    []nic
	stack   []level
	ignored []string // names of elements
}

// level is an open element.
type level struct {
	name string
	gpu  int  // of a PCI device or gpu element; -1 for none
	nic  int  // of a PCI device; -1 for none
	used bool // the device's port has appeared as a net element
}

// Read reads a topology; file is its display name.
func Read(file string, in io.Reader) (*source.Cluster, *source.Problem) {
	r := &reader{file: file, decoder: xml.NewDecoder(io.LimitReader(in, maxBytes))}
	r.decoder.Strict = true
	for {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, r.problem("", "well-formed XML to its end: "+err.Error())
		}
		var p *source.Problem
		switch t := token.(type) {
		case xml.StartElement:
			p = r.open(&t)
		case xml.EndElement:
			r.stack = r.stack[:len(r.stack)-1]
		}
		if p != nil {
			return nil, p
		}
	}
	if len(r.gpus) == 0 {
		return nil, &source.Problem{File: file, Want: "at least one GPU: a pci element of class 0x0302 or a gpu element"}
	}
	return r.cluster()
}

func (r *reader) problem(value, want string) *source.Problem {
	line, _ := r.decoder.InputPos()
	return &source.Problem{File: r.file, Line: line, Value: value, Want: want}
}

// open handles the beginning of an element.
func (r *reader) open(e *xml.StartElement) *source.Problem {
	at := map[string]string{}
	for _, a := range e.Attr {
		at[a.Name.Local] = a.Value
	}
	l := level{name: e.Name.Local, gpu: -1, nic: -1}
	var up *level
	if n := len(r.stack); n > 0 {
		up = &r.stack[n-1]
	} else if l.name != "system" {
		return r.problem(l.name, "system as the first element")
	}
	if len(r.stack) == maxDepth {
		return r.problem(l.name, fmt.Sprintf("elements at most %d deep", maxDepth))
	}
	var p *source.Problem
	switch l.name {
	case "system", "cpu", "pcilink", "c2c":
	case "nic":
		l.nic = up.nic
	case "pci":
		p = r.device(&l, at)
	case "gpu":
		p = r.gpu(&l, up, at)
	case "nvlink":
		p = r.nvlink(up, at)
	case "xgmi":
		p = r.xgmi(up, at)
	case "net":
		p = r.net(up, at)
	default:
		if !slices.Contains(r.ignored, l.name) && len(r.ignored) < 8 {
			r.ignored = append(r.ignored, l.name)
		}
	}
	if len(r.gpus) > maxDevices || len(r.nics) > maxDevices {
		p = r.problem(l.name, fmt.Sprintf("at most %d GPUs and NICs", maxDevices))
	}
	r.stack = append(r.stack, l)
	return p
}

// device handles a PCI device: its class tells a GPU from a NIC and a switch.
func (r *reader) device(l *level, at map[string]string) *source.Problem {
	class := strings.TrimPrefix(at["class"], "0x")
	if at["class"] == class || len(class) < 4 {
		return r.problem(at["class"], "a class such as 0x030200")
	}
	switch class[:2] {
	case "03", "12": // display controller; processing accelerator, as MI300X is
		link := pciLink{}
		link.speed, _, _ = strings.Cut(at["link_speed"], " ")
		link.speed = strings.TrimSuffix(link.speed, ".0")
		if w := at["link_width"]; w != "" {
			n, err := strconv.Atoi(w)
			if err != nil || n < 0 || n > 64 {
				return r.problem(w, "a link_width from 0 to 64")
			}
			link.width = n
		}
		l.gpu = len(r.gpus)
		r.gpus = append(r.gpus, gpu{device: at["device"], link: link, bus: at["busid"], amd: at["vendor"] == "0x1002", xgmi: map[string]int{}})
	case "02": // network controller
		l.nic = len(r.nics)
		r.nics = append(r.nics, nic{pci: true})
	}
	return nil
}

// gpu handles the gpu element of a device. A second one in a device is a part of it.
func (r *reader) gpu(l, up *level, at map[string]string) *source.Problem {
	if up.gpu < 0 {
		return r.problem("gpu", "a gpu inside the pci element of a GPU")
	}
	l.gpu = up.gpu
	g := &r.gpus[l.gpu]
	g.gcn = architecture(at["gcn"])
	g.amd = g.amd || g.gcn != ""
	g.noGDR = at["gdr"] == "0"
	if sm := at["sm"]; sm != "" {
		n, err := strconv.Atoi(sm)
		if err != nil || n < 0 || n > 1000 {
			return r.problem(sm, "a compute capability such as 90 in sm, or AMD's number of compute units")
		}
		g.sm = n
	}
	return nil
}

// architecture is AMD's name of an architecture. RCCL writes gfx942 and gfx90a:sramecc+:xnack-, and before
// 2023 a number in which 10 stands for a.
func architecture(gcn string) string {
	gcn, _, _ = strings.Cut(gcn, ":")
	if _, err := strconv.Atoi(gcn); err == nil {
		return "gfx" + strings.Replace(gcn, "910", "90a", 1)
	}
	return gcn
}

// nvlink adds links to a GPU.
func (r *reader) nvlink(up *level, at map[string]string) *source.Problem {
	n, err := strconv.Atoi(at["count"])
	switch {
	case up.gpu < 0:
		return r.problem("nvlink", "an nvlink inside a gpu element")
	case err != nil || n < 1 || n > maxDevices:
		return r.problem(at["count"], fmt.Sprintf("a count of links from 1 to %d", maxDevices))
	}
	g := &r.gpus[up.gpu]
	g.links = min(g.links+n, maxDevices)
	g.mesh = g.mesh || strings.HasPrefix(at["tclass"], "0x03")
	return nil
}

// xgmi adds AMD's links to another GPU.
func (r *reader) xgmi(up *level, at map[string]string) *source.Problem {
	n, err := strconv.Atoi(at["count"])
	switch {
	case up == nil || up.gpu < 0:
		return r.problem("xgmi", "an xgmi inside a gpu element")
	case err != nil || n < 1 || n > maxDevices:
		return r.problem(at["count"], fmt.Sprintf("a count of links from 1 to %d", maxDevices))
	}
	g := &r.gpus[up.gpu]
	g.xgmi[at["target"]] = min(g.xgmi[at["target"]]+n, maxDevices)
	return nil
}

// net handles a port: the first is the device's own, further ones are other ports of it.
func (r *reader) net(up *level, at map[string]string) *source.Problem {
	n, err := strconv.Atoi(at["speed"])
	if at["speed"] == "" {
		n, err = 0, nil
	}
	if err != nil || n < 0 || n > mostMbps {
		return r.problem(at["speed"], fmt.Sprintf("a speed in Mb/s of at most %d", mostMbps))
	}
	if up.nic >= 0 && !up.used {
		up.used = true
		r.nics[up.nic].mbps, r.nics[up.nic].noGDR = n, at["gdr"] == "0"
		return nil
	}
	r.nics = append(r.nics, nic{mbps: n, pci: up.nic >= 0, noGDR: at["gdr"] == "0"})
	return nil
}
