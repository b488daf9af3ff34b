package metrics

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// inspected is an object of NCCL Inspector's JSON: one collective of one rank.
type inspected struct {
	Header struct {
		ID    string `json:"id"`
		Rank  *int   `json:"rank"`
		Ranks int    `json:"n_ranks"`
		Nodes int    `json:"nnodes"`
	} `json:"header"`
	Metadata struct {
		At   float64 `json:"dump_timestamp_us"`
		Host string  `json:"hostname"`
	} `json:"metadata"`
	Collective *struct {
		Name  string  `json:"coll"`
		Bytes int64   `json:"coll_msg_size_bytes"`
		BusBW float64 `json:"coll_busbw_gbs"`
	} `json:"coll_perf"`
}

// readInspector reads NCCL Inspector's objects, one behind the other. They become values of the bus bandwidth, a
// series for each rank, collective and size.
func (d *Data) readInspector(name string, in io.Reader) error {
	decoder := json.NewDecoder(in)
	for n := 1; ; n++ {
		var o inspected
		err := decoder.Decode(&o)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF) && n > 1:
			d.Notes = append(d.Notes, fmt.Sprintf("%s: object %d is cut, and left out", name, n))
			return nil
		case err != nil:
			return fmt.Errorf("%s: object %d is not NCCL Inspector's: %w", name, n, err)
		case o.Collective == nil:
			d.Others++ // a SEND or RECV
			continue
		case o.Header.Rank == nil || o.Collective.Name == "" || o.Collective.BusBW <= 0:
			return fmt.Errorf("%s: object %d has no rank, collective or bus bandwidth", name, n)
		}
		labels := map[string]string{
			"node": o.Metadata.Host, "rank": strconv.Itoa(*o.Header.Rank), "comm_name": o.Header.ID, "n_nodes": strconv.Itoa(o.Header.Nodes),
			"nranks": strconv.Itoa(o.Header.Ranks), "collective": o.Collective.Name, "message_size": sizeRange(o.Collective.Bytes),
		}
		if err := d.add(busBandwidth, labels, o.Metadata.At/1e6, o.Collective.BusBW); err != nil {
			return fmt.Errorf("%s: object %d: %w", name, n, err)
		}
	}
}
