package sonic

import (
	"slices"
	"strconv"
	"strings"
)

// Hash is how a switch chooses among equally short paths.
type Hash struct {
	// Fields are those that it hashes of RoCE v2, such as SRC_IP and L4_SRC_PORT (SWITCH_HASH; sonic-net/SONiC
	// doc/hash/hash-design.md): ecmp_hash_ipv4_rdma, or else ecmp_hash_ipv4, or else ecmp_hash (sonic-hash.yang). nil: its own
	// choice.
	Fields []string
	Line   int // of these fields
	Key    string
	// Algorithm is ecmp_hash_algorithm in lower case, such as crc; "": the chip's own.
	Algorithm string
	// Seed is the number that the hash begins with: ecmp_hash_seed of DEVICE_METADATA, or of ECMP_LOADSHARE_TABLE_SEED in
	// enterprise SONiC, or else by the switch's type (dockers/docker-orchagent/switch.json.j2). Stated says that a table has it.
	Seed   uint32
	Stated bool
}

// AddressesAlone reports whether the fields tell hosts apart, and not the flows of two hosts.
func (h *Hash) AddressesAlone() bool {
	has := func(field string) bool { return slices.Contains(h.Fields, field) }
	return !has("L4_SRC_PORT") && !has("RDMA_BTH_DEST_QP") && (has("SRC_IP") || has("DST_IP"))
}

// BGP is what the tables of BGP say. Where FRR is configured from templates (bgpcfgd), the limit is above the ports of any switch
// and multipath-relax is on: 514 and true in sonic-buildimage files/image_config/constants/constants.yml, which
// dockers/docker-fpm-frr/frr/bgpd/bgpd.main.conf.j2 takes.
type BGP struct {
	ASN uint32 // 0: not said
	// Tables says that BGP_GLOBALS configures FRR (frrcfgd), so that FRR's own defaults hold for what it does not say.
	Tables    bool
	MaxPaths  int // max_ebgp_paths of BGP_GLOBALS_AF; 0: FRR's default, which is above the ports of any switch
	MaxLine   int
	MaxKey    string
	Relax     bool // load_balance_mp_relax, or the template's
	RelaxLine int  // of load_balance_mp_relax, or of the row of BGP_GLOBALS
}

// seeds are the seeds by a word of the switch's type, the first that is in it (switch.json.j2).
var seeds = []struct {
	word string
	seed uint32
}{
	{"ToRRouter", 0},
	{"LeafRouter", 10},
	{"FabricSpineRouter", 40},
	{"UpperSpineRouter", 50},
	{"SpineRouter", 25},
	{"LowerRegionalHub", 60},
	{"FabricRegionalHub", 70},
	{"UpperRegionalHub", 80},
}

// row is a row of a table; one without fields if there is none.
func (r *resolver) row(table, key string) *Row {
	if row := r.config.Table(table).Row(key); row != nil {
		return row
	}
	return &Row{Key: key}
}

// paths reads how the switch chooses among equally short paths.
func (r *resolver) paths() {
	r.hash()
	r.bgp()
}

func (r *resolver) hash() {
	h := &r.sw.Hash
	row := r.row("SWITCH_HASH", "GLOBAL")
	for _, key := range []string{"ecmp_hash_ipv4_rdma", "ecmp_hash_ipv4", "ecmp_hash"} {
		fields, ok := row.Get(key)
		if !ok || h.Fields != nil {
			continue
		}
		h.Fields, h.Line, h.Key = fields.List, fields.Line, key
		if fields.List == nil && fields.Text != "" {
			h.Fields = strings.Split(fields.Text, ",")
		}
	}
	algorithm, _ := row.Get("ecmp_hash_algorithm")
	h.Algorithm = strings.ToLower(algorithm.Text)
	for _, s := range seeds {
		if strings.Contains(r.sw.Role, s.word) {
			h.Seed = s.seed
			break
		}
	}
	for _, at := range [][3]string{{"DEVICE_METADATA", "localhost", "ecmp_hash_seed"}, {"ECMP_LOADSHARE_TABLE_SEED", "hash", "ecmp_hash_seed"}} {
		row := r.row(at[0], at[1])
		if _, ok := row.Get(at[2]); ok {
			h.Seed, h.Stated = uint32(r.number(at[0], row, at[2], 0, 0, 1<<32-1)), true
		}
	}
}

// bgp reads the tables of BGP. The row of the default VRF counts.
func (r *resolver) bgp() {
	b := &r.sw.BGP
	b.Relax = true
	asn, _ := r.row("DEVICE_METADATA", "localhost").Get("bgp_asn")
	n, _ := strconv.ParseUint(asn.Text, 10, 32) // "None" where BGP is off
	b.ASN = uint32(n)
	row := r.config.Table("BGP_GLOBALS").Row("default")
	if row == nil {
		return
	}
	b.Tables, b.RelaxLine = true, row.Line
	b.Relax = r.word("BGP_GLOBALS", row, "load_balance_mp_relax", "false", "true", "false") == "true"
	if v, ok := row.Get("load_balance_mp_relax"); ok {
		b.RelaxLine = v.Line
	}
	if n := r.number("BGP_GLOBALS", row, "local_asn", int64(b.ASN), 1, 1<<32-1); n > 0 {
		b.ASN = uint32(n)
	}
	for _, key := range []string{"default|ipv4_unicast", "default|ipv6_unicast"} {
		row := r.row("BGP_GLOBALS_AF", key)
		if v, ok := row.Get("max_ebgp_paths"); ok && b.MaxLine == 0 {
			b.MaxPaths, b.MaxLine, b.MaxKey = int(r.number("BGP_GLOBALS_AF", row, "max_ebgp_paths", 0, 1, 65535)), v.Line, key
		}
	}
}
