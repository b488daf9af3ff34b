package roce

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
)

//go:embed data
var data embed.FS

// Table is the table that a vendor ships for a chip without a public formula.
type Table struct {
	Name, Title string
	Cell        int // bytes of a buffer cell
	Rows        []Row
	Source      string
}

// Tables returns all shipped tables.
func Tables() []Table {
	lines := readTable("data/table.csv")
	var tables []Table
	for _, l := range lines {
		f, err := data.Open("data/" + l[3])
		if err != nil {
			panic(fmt.Sprintf("roce: %v", err))
		}
		rows, err := ReadProfiles(l[3], f)
		if err != nil {
			panic(fmt.Sprintf("roce: %v", err))
		}
		tables = append(tables, Table{Name: l[0], Title: l[1], Cell: int(number(l[2])), Rows: rows, Source: l[4]})
	}
	return tables
}

// readTable reads an embedded table without its heading. Tests read all tables, so they find every
// error in one.
func readTable(name string) [][]string {
	text, err := data.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("roce: %v", err))
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("roce: %s: %v", name, err))
	}
	return rows[1:]
}
