package infiniband

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/process"
	"weft/internal/ib/format"
	"weft/internal/ib/qos"
	"weft/internal/ib/route"
	"weft/internal/ib/sm"
	"weft/internal/ib/subnet"
	"weft/units"
)

// siteConfig is what a manager takes from an opensm.conf besides the values of flags.
type siteConfig struct {
	engines   []route.Name // in the order in which they are tried
	settings  sm.Settings
	bothKeys  bool
	window    int
	timeout   units.Time
	retries   int
	sweep     units.Time
	poll      units.Time
	lostPolls int
	untaken   []string // keys that have no effect, with their lines
}

// smKey takes the value of a key of opensm.conf.
type smKey struct {
	flag string // that has the same meaning, and comes before the file; "" for none
	take func(r *smRun, value string) error
}

// smKeys is the keys that weft sm run takes, without those of quality of service.
var smKeys = map[string]smKey{
	"routing_engine":              {"engine", (*smRun).takeEngines},
	"root_guid_file":              fileKey("roots", func(r *smRun) *string { return &r.roots }),
	"cn_guid_file":                fileKey("compute-nodes", func(r *smRun) *string { return &r.hosts }),
	"guid_routing_order_file":     fileKey("order", func(r *smRun) *string { return &r.order }),
	"torus_config":                fileKey("torus-config", func(r *smRun) *string { return &r.torus }),
	"partition_config_file":       fileKey("partitions", func(r *smRun) *string { return &r.parts }),
	"nue_max_num_vls":             numberKey("nue-lanes", 15, (*smRun).takeNueLanes),
	"lmc":                         byteKey("lmc", 7, func(r *smRun) *uint8 { return &r.lmc }),
	"sm_priority":                 byteKey("priority", 15, func(r *smRun) *uint8 { return &r.priority }),
	"sm_key":                      numberKey("sm-key", ^uint64(0), func(r *smRun, n uint64) { r.smKey = n }),
	"m_key":                       numberKey("m-key", ^uint64(0), func(r *smRun, n uint64) { r.mKey.Key = n }),
	"m_key_protection_level":      byteKey("m-key-protection", 3, func(r *smRun) *uint8 { return &r.mKey.Level }),
	"m_key_lease_period":          numberKey("m-key-lease", 1<<16-1, func(r *smRun, n uint64) { r.lease = time.Duration(n) * time.Second }),
	"reassign_lids":               boolKey("reassign", func(r *smRun, on bool) { r.reassign = on }),
	"allow_both_pkeys":            boolKey("", func(r *smRun, on bool) { r.site.bothKeys = on }),
	"no_partition_enforcement":    boolKey("", (*smRun).enforceNothing),
	"part_enforce":                {"", (*smRun).takeEnforcement},
	"max_wire_smps":               numberKey("", 1<<16, (*smRun).takeWindow),
	"transaction_timeout":         numberKey("", 1<<20, func(r *smRun, n uint64) { r.site.timeout = units.Time(n) * units.Millisecond }),
	"transaction_retries":         numberKey("", 1<<10, (*smRun).takeRetries),
	"sweep_interval":              numberKey("", 1<<20, (*smRun).takeSweep),
	"sminfo_polling_timeout":      numberKey("", 1<<30, func(r *smRun, n uint64) { r.site.poll = units.Time(n) * units.Millisecond }),
	"polling_retry_number":        numberKey("", 1<<20, func(r *smRun, n uint64) { r.site.lostPolls = int(n) }),
	"packet_life_time":            byteKey("", 20, func(r *smRun) *uint8 { return &r.site.settings.PacketLife }),
	"head_of_queue_lifetime":      byteKey("", 20, func(r *smRun) *uint8 { return &r.site.settings.HOQLife }),
	"leaf_head_of_queue_lifetime": byteKey("", 20, func(r *smRun) *uint8 { return &r.site.settings.LeafHOQLife }),
	"vl_stall_count":              byteKey("", 7, func(r *smRun) *uint8 { return &r.site.settings.StallCount }),
	"leaf_vl_stall_count":         byteKey("", 7, func(r *smRun) *uint8 { return &r.site.settings.LeafStallCount }),
	"subnet_timeout":              byteKey("", 31, func(r *smRun) *uint8 { return &r.site.settings.SubnetTimeout }),
	"local_phy_errors_threshold":  byteKey("", 15, func(r *smRun) *uint8 { return &r.site.settings.LocalPhyErrors }),
	"overrun_errors_threshold":    byteKey("", 15, func(r *smRun) *uint8 { return &r.site.settings.OverrunErrors }),
	"force_link_width":            byteKey("", 255, func(r *smRun) *uint8 { return &r.site.settings.LinkWidth }),
	"force_link_speed":            byteKey("", 15, func(r *smRun) *uint8 { return &r.site.settings.LinkSpeed }),
	"force_link_speed_ext":        byteKey("", 31, func(r *smRun) *uint8 { return &r.site.settings.LinkSpeedExt }),
	"max_op_vls":                  byteKey("", 5, func(r *smRun) *uint8 { return &r.site.settings.MaxVLs }),
}

func fileKey(flag string, of func(*smRun) *string) smKey {
	return smKey{flag, func(r *smRun, value string) error {
		*of(r) = value
		return nil
	}}
}

func numberKey(flag string, most uint64, set func(*smRun, uint64)) smKey {
	return smKey{flag, func(r *smRun, value string) error {
		n, err := strconv.ParseUint(value, 0, 64)
		if err != nil || n > most {
			return fmt.Errorf("expected a number from 0 to %d, not %q", most, value)
		}
		set(r, n)
		return nil
	}}
}

func byteKey(flag string, most uint8, of func(*smRun) *uint8) smKey {
	return numberKey(flag, uint64(most), func(r *smRun, n uint64) { *of(r) = uint8(n) })
}

func boolKey(flag string, set func(*smRun, bool)) smKey {
	return smKey{flag, func(r *smRun, value string) error {
		on := strings.EqualFold(value, "true")
		if !on && !strings.EqualFold(value, "false") {
			return fmt.Errorf("expected TRUE or FALSE, not %q", value)
		}
		set(r, on)
		return nil
	}}
}

// takeEngines takes a list of engines, which OpenSM tries in this order.
func (r *smRun) takeEngines(value string) error {
	r.site.engines = nil
	for _, name := range strings.Split(value, ",") {
		// The ar_ engines of NVIDIA's OpenSM are those of the same names, with adaptive routing, which weft's manager does not
		// set up: ar_mode and its like are named among the keys without effect.
		name = strings.TrimPrefix(strings.TrimSpace(name), "ar_")
		if err := checkEngine(name); err != nil || name == string(route.Auto) {
			return fmt.Errorf("%q is no routing engine of weft: valid are %s", name, engineNames())
		}
		r.site.engines = append(r.site.engines, route.Name(name))
	}
	return nil
}

// takeNueLanes takes the most lanes of nue; OpenSM's 0 is as many as the switches have.
func (r *smRun) takeNueLanes(n uint64) {
	if r.nueLanes = int(n); n == 0 {
		r.nueLanes = 15
	}
}

func (r *smRun) enforceNothing(off bool) {
	if off {
		r.site.settings.CheckIn, r.site.settings.CheckOut = false, false
	}
}

func (r *smRun) takeEnforcement(value string) error {
	modes := map[string][2]bool{"both": {true, true}, "in": {true, false}, "out": {false, true}, "off": {}}
	mode, ok := modes[strings.ToLower(value)]
	if !ok {
		return fmt.Errorf("expected both, in, out or off, not %q", value)
	}
	r.site.settings.CheckIn, r.site.settings.CheckOut = mode[0], mode[1]
	return nil
}

// takeWindow takes the number of requests under way; OpenSM's 0 is without a limit.
func (r *smRun) takeWindow(n uint64) {
	if r.site.window = int(n); n == 0 {
		r.site.window = mostRequests
	}
}

// mostRequests is the requests under way without a limit of the site's.
const mostRequests = 1 << 10

// takeRetries takes the number of repeats; sm.Config means none by a negative number.
func (r *smRun) takeRetries(n uint64) {
	if r.site.retries = int(n); n == 0 {
		r.site.retries = -1
	}
}

// takeSweep takes the seconds between light sweeps; OpenSM's 0 is never.
func (r *smRun) takeSweep(n uint64) {
	if r.site.sweep = units.Time(n) * units.Second; n == 0 {
		r.site.sweep = units.Forever / 2
	}
}

// readConfig reads an opensm.conf. Flags that were given come before its keys. Keys without effect
// are noted in untaken, unless they have OpenSM's default.
func (r *smRun) readConfig(e *process.Env, cmd *cobra.Command) error {
	r.site.settings = sm.DefaultSettings()
	path := r.config
	if path == "" {
		path = r.qos
	}
	if path == "" {
		return nil
	}
	f, err := e.Open(path)
	if err != nil {
		return fmt.Errorf("the configuration cannot be read: %w", err)
	}
	defer f.Close()
	lines, err := qos.ReadLines(path, f)
	if err != nil {
		return err
	}
	var errs format.Errors
	for _, l := range lines {
		if strings.HasPrefix(l.Key, "qos") && l.Key != "qos_policy_file" {
			continue // see readQoS
		}
		key, known := smKeys[l.Key]
		switch {
		case isDefault(e, l):
		case r.config == "" || !known:
			r.site.untaken = append(r.site.untaken, fmt.Sprintf("%s:%d: %s %s", path, l.Number, l.Key, l.Value))
		case key.flag != "" && cmd.Flags().Changed(key.flag):
		default:
			if err := key.take(r, l.Value); err != nil {
				errs.List = append(errs.List, format.Problem{File: path, Line: l.Number, Text: fmt.Sprintf("%s: %v", l.Key, err)})
			}
		}
	}
	if len(errs.List) > 0 {
		return &errs
	}
	if r.config != "" && r.qos == "" {
		r.qos = r.config
	}
	return nil
}

// isDefault reports whether a line leaves OpenSM's behaviour as it is without the line: it has no
// value or the default, or names a file of OpenSM's own folder that does not exist.
func isDefault(e *process.Env, l qos.Line) bool {
	usual, known := opensmDefaults()[l.Key]
	if l.Value == "" || l.Value == "(null)" {
		return true
	}
	if _, taken := smKeys[l.Key]; taken {
		if !strings.HasPrefix(usual, "/") || l.Value != usual {
			return false
		}
		f, err := e.Open(l.Value)
		if err == nil {
			f.Close()
		}
		return errors.Is(err, fs.ErrNotExist)
	}
	if !known {
		return false
	}
	a, err1 := strconv.ParseUint(l.Value, 0, 64)
	b, err2 := strconv.ParseUint(usual, 0, 64)
	return strings.EqualFold(l.Value, usual) || err1 == nil && err2 == nil && a == b
}

// opensmDefaults is the defaults by key.
func opensmDefaults() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(defaultsOfOpenSM) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[key] = value
	}
	return all
}

// tellOfUntaken says once which keys of a configuration have no effect.
func (r *smRun) tellOfUntaken(e *process.Env) {
	if len(r.site.untaken) == 0 {
		return
	}
	hint := ""
	if r.config == "" && r.qos != "" {
		hint = " (--config takes a whole opensm.conf)"
	}
	fmt.Fprintf(e.Stderr, "weft: without effect%s:\n  %s\n", hint, strings.Join(r.site.untaken, "\n  "))
}

// routesInTurn routes with each engine of a list until one routes the fabric as asked, as OpenSM
// does. If none does, the first engine's way out counts (routeProven).
func routesInTurn(engines []route.Name, o route.Options) sm.Router {
	return func(s *subnet.Subnet) (*subnet.Tables, string, error) {
		first, why, err := routeProven(s, engines[0], o)
		if err == nil && why == "" {
			return first, "", nil
		}
		for _, name := range engines[1:] {
			if t, other, failed := routeProven(s, name, o); failed == nil && other == "" {
				_, reason, _ := strings.Cut(why, ": ")
				if err != nil {
					reason = err.Error()
				}
				return t, fmt.Sprintf("%s in place of %s: %s", name, engines[0], reason), nil
			}
		}
		return first, why, err
	}
}
