package roce

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strings"
)

//go:embed data
var data embed.FS

// Table is what a vendor ships for a chip whose formula is not public.
type Table struct {
	Name, Title string
	Rows        []Row
	Source      string
}

// Tables are the shipped tables that are known.
func Tables() []Table {
	index, err := data.ReadFile("data/table.csv")
	if err != nil {
		panic(fmt.Sprintf("roce: %v", err)) // embedded
	}
	lines, err := csv.NewReader(strings.NewReader(string(index))).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("roce: data/table.csv: %v", err))
	}
	var tables []Table
	for _, l := range lines[1:] {
		f, err := data.Open("data/" + l[2])
		if err != nil {
			panic(fmt.Sprintf("roce: %v", err))
		}
		rows, err := ReadProfiles(l[2], f)
		if err != nil {
			panic(fmt.Sprintf("roce: %v", err))
		}
		tables = append(tables, Table{Name: l[0], Title: l[1], Rows: rows, Source: l[3]})
	}
	return tables
}
