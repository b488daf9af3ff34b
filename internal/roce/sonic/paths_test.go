package sonic

import (
	"fmt"
	"strings"
	"testing"
)

// TestHowASwitchHashesIsRead: the fields for RDMA come before those of IPv4, and these before those of all packets; the seed is
// that of a table, or of the switch's type (switch.json.j2).
func TestHowASwitchHashesIsRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"SWITCH_HASH": {"GLOBAL": {"ecmp_hash": ["SRC_IP", "DST_IP"]}}}`:                                                                  "[SRC_IP DST_IP]  0 false",
		`{"SWITCH_HASH": {"GLOBAL": {"ecmp_hash": ["SRC_IP"], "ecmp_hash_ipv4": ["DST_IP"]}}}`:                                              "[DST_IP]  0 false",
		`{"SWITCH_HASH": {"GLOBAL": {"ecmp_hash_ipv4_rdma": ["RDMA_BTH_DEST_QP"], "ecmp_hash": ["SRC_IP"], "ecmp_hash_ipv4": ["DST_IP"]}}}`: "[RDMA_BTH_DEST_QP]  0 false",
		`{"SWITCH_HASH": {"GLOBAL": {"ecmp_hash": "SRC_IP,L4_SRC_PORT", "ecmp_hash_algorithm": "CRC_32LO"}}}`:                               "[SRC_IP L4_SRC_PORT] crc_32lo 0 false",
		`{"DEVICE_METADATA": {"localhost": {"type": "LeafRouter"}}}`:                                                                        "[]  10 false",
		`{"DEVICE_METADATA": {"localhost": {"type": "BackEndLeafRouter", "ecmp_hash_seed": "7"}}}`:                                          "[]  7 true",
		`{"DEVICE_METADATA": {"localhost": {"type": "UpperSpineRouter"}}}`:                                                                  "[]  50 false",
		`{"DEVICE_METADATA": {"localhost": {"type": "SpineRouter"}}, "ECMP_LOADSHARE_TABLE_SEED": {"hash": {"ecmp_hash_seed": "100"}}}`:     "[]  100 true",
		`{"PORT": {}}`: "[]  0 false",
	} {
		c, err := Read("c", strings.NewReader(strings.TrimSuffix(text, "}")+`, "QUEUE": {}}`))
		if err != nil {
			t.Fatal(err)
		}
		sw, problems := Examine(c)
		h := sw.Hash
		if got := fmt.Sprintf("%v %s %d %t", h.Fields, h.Algorithm, h.Seed, h.Stated); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") || len(problems) > 0 {
			t.Errorf("%s\n%s, want %s; %v", text, got, want, problems)
		}
	}
}

// TestTheTablesOfBGPAreRead: with BGP_GLOBALS FRR has its own defaults, without it those of the templates.
func TestTheTablesOfBGPAreRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "65100"}}}`:                                                                                                                "65100 false 0 true",
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "None"}}}`:                                                                                                                 "0 false 0 true",
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "65100"}}, "BGP_GLOBALS": {"default": {"local_asn": "4260167144"}}}`:                                                       "4260167144 true 0 false",
		`{"BGP_GLOBALS": {"default": {"local_asn": "65001", "load_balance_mp_relax": "true"}}, "BGP_GLOBALS_AF": {"default|ipv4_unicast": {"max_ebgp_paths": "2"}}}`:              "65001 true 2 true",
		`{"BGP_GLOBALS": {"default": {"local_asn": "65001"}}, "BGP_GLOBALS_AF": {"default|ipv6_unicast": {"max_ebgp_paths": "4"}, "Vrf1|ipv4_unicast": {"max_ebgp_paths": "1"}}}`: "65001 true 4 false",
	} {
		c, err := Read("c", strings.NewReader(strings.TrimSuffix(text, "}")+`, "QUEUE": {}}`))
		if err != nil {
			t.Fatal(err)
		}
		sw, problems := Examine(c)
		b := sw.BGP
		if got := fmt.Sprint(b.ASN, b.Tables, b.MaxPaths, b.Relax); got != want || len(problems) > 0 {
			t.Errorf("%s\n%s, want %s; %v", text, got, want, problems)
		}
	}
	c, _ := Read("c", strings.NewReader(`{"BGP_GLOBALS": {"default": {"local_asn": "65001"}}, "BGP_GLOBALS_AF": {"default|ipv4_unicast": {"max_ebgp_paths": "0"}}, "QUEUE": {}}`))
	if _, problems := Examine(c); len(problems) != 1 || !strings.Contains(problems[0].Error(), "max_ebgp_paths") {
		t.Errorf("0 paths: %v", problems)
	}
}
