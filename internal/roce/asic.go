package roce

import (
	"fmt"
	"strconv"
	"strings"
)

// ASIC is what the headroom depends on in a switch chip. The values are those
// of a family and are not fitted to a single product's table.
type ASIC struct {
	Name, Title string
	Cell        int     // bytes of a buffer cell
	PipelineKiB float64 // what arrives while a packet passes the pipeline; doubled on ports of eight lanes
	MACPHYKiB   float64 // what is on its way between the MAC and the wire
	TileNs      float64 // time that a packet spends between tiles of a chip made of several
	ExtraKiB    float64 // added to XOFF as it is
	Source      string
}

// ASICs are the families that are known, oldest first.
func ASICs() []ASIC {
	rows := readTable("data/asic.csv")
	asics := make([]ASIC, 0, len(rows))
	for _, r := range rows {
		asics = append(asics, ASIC{
			Name: r[0], Title: r[1], Cell: int(number(r[2])), PipelineKiB: number(r[3]),
			MACPHYKiB: number(r[4]), TileNs: number(r[5]), ExtraKiB: number(r[6]), Source: r[7],
		})
	}
	return asics
}

func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("roce: data: %v", err))
	}
	return v
}

// Known lists the names of all chips: families with a formula, then those with
// a shipped table.
func Known() []string {
	var names []string
	for _, a := range ASICs() {
		names = append(names, a.Name)
	}
	for _, t := range Tables() {
		names = append(names, t.Name)
	}
	return names
}

// Lookup finds a chip by its name: a family with a formula, or else the table
// that is shipped for it. One of the two is nil.
func Lookup(name string) (*ASIC, *Table, error) {
	for _, a := range ASICs() {
		if a.Name == name {
			return &a, nil, nil
		}
	}
	for _, t := range Tables() {
		if t.Name == name {
			return nil, &t, nil
		}
	}
	return nil, nil, fmt.Errorf("the ASIC %q is not known; known are %s", name, strings.Join(Known(), ", "))
}
