package scenario_test

import (
	"strings"
	"testing"

	"weft/scenario"
)

// TestAFileOfAnotherKindIsOneError: the error names the kind of the file, in place of an
// error for each of its fields.
func TestAFileOfAnotherKindIsOneError(t *testing.T) {
	for want, text := range map[string]string{
		"a request for designs, for weft plan":                   "gpus: 1024\nmax-levels: 2\nmax-power: 80kW\nfabrics: [infiniband, roce-v2]\n",
		"results of weft, for weft explain":                      `{"version": 2, "scenario": "x", "seed": 1, "workload": "all-reduce", "ranks": 8, "fabrics": [{"name": "ib"}]}`,
		"a price file, for weft plan --prices":                   "currency: EUR\nitems: [{item: qm9700, each: 1}]\n",
		"a profile of an organisation, for weft advise":          "name: us\ndesign: {gpus: 64}\norganisation: {}\n",
		"a topology of ibnetdiscover, for weft fabric inspect":   "vendid=0x2c9\ndevid=0xcf08\nswitchguid=0x2c9(2c9)\nSwitch\t8 \"S-02\"\t\t# \"p0\" enhanced port 0 lid 0 lmc 0\n[1]\t\"H-03\"[1](04) \t\t# \"h0\" lid 0 4xEDR\n",
		"a log of nccl-tests, for weft diagnose or weft calibra": "#       size         count      type\n     1048576        262144     float\n",
	} {
		_, err := scenario.Decode("file", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("want one line with %q: %v", want, err)
		}
	}
	var prices struct {
		Currency string `yaml:"currency"`
	}
	_, err := scenario.ReadDocument("file", []byte("cluster: {nodes: 2}\nworkload: {}\n"), &prices)
	if err == nil || !strings.Contains(err.Error(), "this is a scenario, for weft run: it has the fields cluster, workload; here the fields are currency") {
		t.Errorf("a scenario in place of prices: %v", err)
	}
	if _, err = scenario.Decode("file", []byte("cluster: {nodes: 2}\ngpus: 8\nnode: dgx-h100\nworkload: {}\ntopology: {}\n")); err == nil || strings.Contains(err.Error(), "this is") {
		t.Errorf("two wrong fields in a scenario are its errors: %v", err)
	}
}
