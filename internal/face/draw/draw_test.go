package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/base/topology"
	"weft/internal/test/topologytest"
)

// caption is a text of a drawing, with its approximate extent.
type caption struct {
	text                     string
	left, right, top, bottom float64
}

// fontOf is the size of a class of text, and whether it is centred.
func fontOf(class string) (size float64, centred bool) {
	for c := range strings.FieldsSeq(class) {
		switch c {
		case "t":
			size = 20
		case "s", "r":
			size = 13
		case "m":
			size = 11
		case "n":
			size, centred = 11, true
		case "k":
			size, centred = 9.5, true
		case "c":
			centred = true
		}
	}
	return size, centred
}

// read parses a drawing and returns its size and labels.
func read(svg []byte) (width, height float64, labels []caption, err error) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	var open *caption
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return width, height, labels, nil
		}
		if err != nil {
			return 0, 0, nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			at := map[string]string{}
			for _, a := range tok.Attr {
				at[a.Name.Local] = a.Value
			}
			switch tok.Name.Local {
			case "svg":
				width, _ = strconv.ParseFloat(at["width"], 64)
				height, _ = strconv.ParseFloat(at["height"], 64)
			case "text":
				x, err1 := strconv.ParseFloat(at["x"], 64)
				y, err2 := strconv.ParseFloat(at["y"], 64)
				if err := errors.Join(err1, err2); err != nil {
					return 0, 0, nil, err
				}
				size, centred := fontOf(at["class"])
				open = &caption{left: x, right: size, top: y - 0.72*size, bottom: y}
				if centred {
					open.left = -x
				}
			}
		case xml.CharData:
			if open != nil {
				w := 0.52 * open.right * float64(len([]rune(string(tok))))
				open.text = string(tok)
				if open.left < 0 {
					open.left = -open.left - w/2
				}
				open.right = open.left + w
				labels = append(labels, *open)
				open = nil
			}
		}
	}
}

func checkDrawing(g *topology.Graph) (problem string) {
	svg := Graph(g, "")
	if !bytes.Equal(svg, Graph(g, "")) {
		return "two drawings of one graph differ"
	}
	if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
		return "a coordinate is not a number"
	}
	width, height, labels, err := read(svg)
	if err != nil {
		return err.Error()
	}
	for i, a := range labels {
		if a.left < 0 || a.right > width || a.top < 0 || a.bottom > height {
			return "the label " + a.text + " is outside"
		}
		for _, b := range labels[:i] {
			if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
				return "the labels " + a.text + " and " + b.text + " overlap"
			}
		}
	}
	return ""
}

func TestDrawingsAreDeterministicAndLabelsDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := topologytest.Spec(func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) })
		g, err := s.Build()
		if err != nil {
			t.Skip() // not every spec is legal
		}
		if problem := checkDrawing(g); problem != "" {
			t.Fatalf("%+v: %s", s, problem)
		}
	})
}

func TestLargeFabricsAreDrawnSmall(t *testing.T) {
	for name, s := range map[string]topology.Spec{
		"4-unit SuperPOD":  topology.Rail{Nodes: 127, UFM: true},
		"64-unit SuperPOD": topology.Rail{Nodes: 2048},
		"k=16":             topology.KAry{K: 16},
		"64 leaves":        topology.TwoLevel{Endpoints: 2048, Radix: 64, NodeNICs: 8},
		"128 leaves":       topology.TwoLevel{Endpoints: 8192, Radix: 128, NodeNICs: 8},
		"two planes":       topology.MultiPlane{Fabric: topology.Rail{Nodes: 512}},
		"dragonfly":        topology.Dragonfly{P: 4, A: 8, H: 4},
		"large dragonfly":  topology.Dragonfly{P: 8, A: 16, H: 8},
		"torus":            topology.Torus{Dims: []int{16, 16, 16}, SwitchEndpoints: 2},
	} {
		g, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		if problem := checkDrawing(g); problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
		if kb := len(Graph(g, "")) / 1000; kb > 400 {
			t.Errorf("%s: the drawing has %d kB, want at most 400", name, kb)
		}
	}
}

func TestATitleIsEscaped(t *testing.T) {
	g, err := topology.SingleSwitch{Endpoints: 2}.Build()
	if err != nil {
		t.Fatal(err)
	}
	svg := Graph(g, "Lab <1> & more")
	if !bytes.Contains(svg, []byte("Lab &lt;1&gt; &amp; more")) {
		t.Errorf("the title is not in the drawing, or not escaped: %s", svg[:200])
	}
}
