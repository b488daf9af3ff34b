package roceexport

import (
	"fmt"
	"reflect"
	"testing"

	"weft/internal/roce/host"
	"weft/scenario"
	"weft/units"
)

func TestAHostWrittenAndReadAgainIsTheSame(t *testing.T) {
	for name, fabric := range map[string]string{
		"the preset": "preset: roce-v2-400g", "other numbers": plain,
		"other parameters": "preset: roce-v2-100g, cc: {preset: dcqcn-paper, ai-rate: 40Mbps}",
		"no control":       "preset: roce-v2-400g, cc: none, transport: {qps-per-connection: 4, split-data: true}",
	} {
		p := planOf(t, fabric)
		var files []host.Source
		for file, text := range written(t, p, "host") {
			files = append(files, host.Source{Name: file, Text: text})
		}
		h, err := host.Read("h", files)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(h.Skipped) > 0 {
			t.Errorf("%s: nothing is read from %v", name, h.Skipped)
		}
		got := []any{h.Trust.Value, h.PriorityOf(p.DSCP), h.PriorityOf(p.CNPDSCP), h.PFC.Value, int64(h.Cable.Value / units.Metre), h.Pause[0].Value || h.Pause[1].Value, h.TOS.Value, h.Forced.Value}
		want := []any{"dscp", p.Data, p.CNP, p.priorities(), metres(p.hostCable()), false, tc(p.DSCP), tc(p.DSCP)}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %v, written %v", name, got, want)
		}
		if s := h.Streams(); len(s) != 1 || s[0].DSCP != p.DSCP {
			t.Errorf("%s: streams %v, want DSCP %d", name, s, p.DSCP)
		}
		on := p.CC.Algorithm == scenario.DCQCN
		if h.NP[p.Data].Value != on || h.RP[p.Data].Value != on || !h.RP[p.Data].Known() || on && h.CNPDSCP.Value != p.CNPDSCP {
			t.Errorf("%s: ECN of priority %d is %v and %v, notifications have DSCP %d", name, p.Data, h.NP[p.Data], h.RP[p.Data], h.CNPDSCP.Value)
		}
		var written []parameter
		if on {
			written = p.parameters()
		}
		for _, x := range written {
			value := h.Params[x.name].Value
			if x.name == "min_time_between_cnps" {
				value = int64(h.CNPGap.Value / units.Microsecond)
			}
			if value != x.num/max(1, x.den) {
				t.Errorf("%s: %s is read as %d, written %d", name, x.name, value, x.num/max(1, x.den))
			}
		}
		if got, want := h.Env["NCCL_IB_QPS_PER_CONNECTION"].Value, fmt.Sprint(p.Transport.QPsPerConnection); got != want {
			t.Errorf("%s: NCCL has %s queue pairs, written %s", name, got, want)
		}
	}
}
