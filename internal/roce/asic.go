package roce

import (
	"fmt"
	"strconv"
	"strings"
)

// ASIC holds the properties of a switch chip that the headroom depends on. The values belong to a
// chip family; they are not fitted to the table of a single product.
type ASIC struct {
	Name, Title string
	Cell        int     // bytes of a buffer cell
	PipelineKiB float64 // bytes that arrive while a packet passes the pipeline; doubled on ports of eight lanes
	MACPHYKiB   float64 // bytes on their way between the MAC and the wire
	TileNs      float64 // time that a packet spends between the tiles of a multi-tile chip
	ExtraKiB    float64 // added to XOFF unchanged
	Source      string
}

// asics returns the known chip families, oldest first.
func asics() []ASIC {
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

// Known lists the names of all known chips: families with a formula first, then chips with a
// shipped table.
func Known() []string {
	var names []string
	for _, a := range asics() {
		names = append(names, a.Name)
	}
	for _, t := range Tables() {
		names = append(names, t.Name)
	}
	return names
}

// Lookup finds a chip by its name. It returns either a family with a formula or the shipped table
// of the chip; the other result is nil.
func Lookup(name string) (*ASIC, *Table, error) {
	for _, a := range asics() {
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
