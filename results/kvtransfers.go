package results

import (
	"slices"

	"weft/internal/base/jsontext"
	"weft/units"
)

// KVTransfersVersion is the version of the layout of the results of transfers of keys and values.
const KVTransfersVersion = 1

// KVTransfers is the transfers of keys and values from prefill to decode, fabric by fabric.
type KVTransfers struct {
	Version    int         `json:"version"`
	Scenario   string      `json:"scenario"`
	Seed       uint64      `json:"seed"`
	Model      string      `json:"model"`
	TokenBytes int64       `json:"token_bytes"` // of a token in all layers, each head once
	Prefill    ServingPool `json:"prefill"`
	Decode     ServingPool `json:"decode"`
	Requests   int         `json:"requests"` // at the same time
	Fabrics    []KVFabric  `json:"fabrics"`
	Partial    bool        `json:"partial,omitempty"`
}

// ServingPool is the instances of a pool.
type ServingPool struct {
	Instances int `json:"instances"`
	GPUs      int `json:"gpus"` // of an instance
	Tensor    int `json:"tensor"`
}

// KVFabric is the transfers on a fabric.
type KVFabric struct {
	Name     string     `json:"name"`
	Protocol string     `json:"protocol"`
	Rate     units.Rate `json:"rate_bps"`
	Rows     []KVRow    `json:"rows"`
}

// KVRow is the transfers of requests of one length.
type KVRow struct {
	Tokens  int       `json:"tokens"`      // of each request
	Bytes   int64     `json:"bytes"`       // of all requests, with heads that several GPUs hold
	Block   int64     `json:"block_bytes"` // of a work request
	TotalPs int64     `json:"total_ps"`    // until the last request was complete
	MeanPs  int64     `json:"mean_ps"`     // of the requests
	P50Ps   int64     `json:"p50_ps"`
	P99Ps   int64     `json:"p99_ps"`
	GBps    float64   `json:"gb_per_s"` // bytes over total
	Counts  Counts    `json:"counts"`
	Hottest []HotLink `json:"hottest,omitempty"`
	Beside  []Stream  `json:"beside,omitempty"` // streams of the fabric
	Failure string    `json:"failure,omitempty"`
}

// Encode is the transfers as JSON, with rounded floats.
func (t *KVTransfers) Encode() ([]byte, error) {
	own := *t
	own.Fabrics = slices.Clone(t.Fabrics)
	for i := range own.Fabrics {
		f := &own.Fabrics[i]
		f.Rows = slices.Clone(f.Rows)
		for j := range f.Rows {
			row := &f.Rows[j]
			row.GBps = rounded(row.GBps, bandwidthDigits)
			row.Hottest, row.Beside = slices.Clone(row.Hottest), roundedStreams(row.Beside)
			for k := range row.Hottest {
				row.Hottest[k].Busy = rounded(row.Hottest[k].Busy, shareDigits)
			}
		}
	}
	return jsontext.Encode(&own)
}
