package page

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"weft/internal/sim/runstore/seriesfile"
)

// mostRows bounds the rows of a table that one answer has, and so the memory of the browser.
const mostRows = 200_000

// about is the answer to the path runs.
type about struct {
	Runs       []*Folder  `json:"runs"`
	Quantities []Quantity `json:"quantities"`
	Tables     []string   `json:"tables"`
	Starts     bool       `json:"starts"` // new runs can be begun
}

// answer is the data of a path, relative to the page:
//
//	runs                                  the folders and their simulations
//	data/0/flows.parquet?simulation=3     columns of a table of run 0; each filter is a column and a value, and one column may come with several values
//	matrix/0/3/queue                      a quantity of simulation 3 of run 0
//	details/0/3/queue                     the same in the short intervals that are kept around what happened
//	causes/0/3                            its pauses by cause
//	moments/0/3                           what happened when
//	verdict/0/                            the verdict of run 0 over its fabrics
//
// A matrix is two integers, the numbers of links and intervals, and their values as float32, all little-endian.
func (s *Site) answer(path string, query url.Values) ([]byte, error) {
	folders, part := s.look(), strings.Split(path, "/")
	if path == "runs" {
		return json.Marshal(about{folders, quantities, seriesfile.Names, s.Start != nil})
	}
	if len(part) < 3 {
		return nil, fmt.Errorf("%w path: %.80q", seriesfile.ErrQuery, path)
	}
	run, err := strconv.Atoi(part[1])
	if err != nil || run < 0 || run >= len(folders) {
		return nil, fmt.Errorf("%w run: %.80q", seriesfile.ErrQuery, part[1])
	}
	views, _ := strconv.Atoi(query.Get("views")) // of a run that goes on: the number of its series so far
	query.Del("views")
	f := folders[run]
	if f.Progress == nil {
		return f.answer(part, query)
	}
	text, err := f.at(views).answer(part, query)
	if err == nil {
		return text, nil
	}
	if now := s.look()[run]; now.Progress == nil { // the run has ended meanwhile
		return now.answer(part, query)
	}
	return nil, err
}

// answer is the data of a path within the run.
func (f *Folder) answer(part []string, query url.Values) ([]byte, error) {
	if part[0] == "data" && len(part) == 3 {
		return f.columns(part[2], query)
	}
	if part[0] == "verdict" && part[2] == "" {
		return f.verdict()
	}
	simulation, err := strconv.Atoi(part[2])
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w simulation: %.80q", seriesfile.ErrQuery, part[2])
	case part[0] == "causes" && len(part) == 3:
		return f.causes(simulation)
	case part[0] == "moments" && len(part) == 3:
		return f.moments(simulation)
	case part[0] == "details" && len(part) == 4:
		return f.details(simulation, part[3])
	case part[0] == "matrix" && len(part) == 4:
		m, err := f.matrix(simulation, part[3])
		if err != nil {
			return nil, err
		}
		return m.encode(), nil
	}
	return nil, fmt.Errorf("%w path: %.80q", seriesfile.ErrQuery, strings.Join(part, "/"))
}

// columns are the rows of a table that have given values in given columns.
func (f *Folder) columns(name string, query url.Values) ([]byte, error) {
	c, err := seriesfile.Select(f.series(), name, seriesfile.Query{Limit: mostRows, Where: query})
	if err != nil {
		return nil, err
	}
	return encoded(c)
}

// encoded is columns as JSON.
func encoded(c *seriesfile.Columns) ([]byte, error) {
	for i, values := range c.Values {
		if list, ok := values.([]int64); ok {
			c.Values[i] = exact(list)
		}
	}
	return json.Marshal(c)
}

// exact are integers as JSON has them for JavaScript, whose numbers are exact up to 2^53: as text if one is larger.
func exact(list []int64) any {
	const most = 1 << 53
	for _, v := range list {
		if v > most || v < -most {
			texts := make([]string, len(list))
			for i, v := range list {
				texts[i] = strconv.FormatInt(v, 10)
			}
			return texts
		}
	}
	return list
}

func (m *Matrix) encode() []byte {
	var b bytes.Buffer
	b.Grow(8 + 4*len(m.Cells))
	out := binary.LittleEndian.AppendUint32(b.AvailableBuffer(), uint32(m.Links))
	out = binary.LittleEndian.AppendUint32(out, uint32(m.Intervals))
	for _, v := range m.Cells {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}
