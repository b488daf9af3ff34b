package roceexport

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"weft/internal/roce/sonic"
	"weft/scenario"
	"weft/units"
)

// Names of the written rows: SONiC's own, so that existing references stay valid.
const (
	mapRow         = "AZURE"
	markRow        = "AZURE_LOSSLESS"
	ingressPool    = "ingress_lossless_pool"
	egressPool     = "egress_lossless_pool"
	losslessRow    = "egress_lossless_profile"
	lossyRow       = "egress_lossy_profile"
	ingressRow     = "ingress_lossy_profile"
	maxSONiCWeight = 100 // sonic-scheduler.yang
)

// sonicFiles writes the tables of buffers, classes, marking and PFC, a file for each role of a switch.
func (p *Plan) sonicFiles() (*Output, error) {
	roles, err := p.roles()
	if err != nil {
		return nil, err
	}
	out := &Output{Notes: p.unwatched("sonic")}
	if len(p.fabric.Switches) > 0 {
		out.Notes = append(out.Notes, "sonic: switches and ports with settings of their own (switches) have the fabric's in a file for each role: --to sonic-switches writes each switch")
	}
	if p.fabric.Routing.MaxPaths > 0 {
		out.Notes = append(out.Notes, "sonic: routing.max-paths is a setting of FRR: --to sonic-switches writes it for each switch")
	}
	for _, r := range roles {
		w := &sonicWriter{Plan: p, role: r, config: &sonic.Config{File: r.file("config_db", ".json")}}
		for _, step := range []func() error{w.buffers, w.groups, w.maps, w.marking, w.queues, w.ports} {
			if err := step(); err != nil {
				return nil, err
			}
		}
		if err := w.hash(&p.fabric.Routing); err != nil {
			return nil, err
		}
		if _, err := sonic.Resolve(w.config); err != nil {
			return nil, fmt.Errorf("SONiC cannot express this: %w", err)
		}
		var b strings.Builder
		if err := w.config.Write(&b); err != nil {
			return nil, err
		}
		out.Files = append(out.Files, File{w.config.File, b.String()})
	}
	if pfc := &p.Ethernet.PFC; p.NVIDIA && p.lossless() && pfc.XON == 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("sonic: xon is 0 and xon_offset %d, as the scenario states them; NVIDIA's chips go by xon alone: leave ethernet.pfc.xon-offset out for the vendor's", pfc.XONOffset))
	}
	out.Notes = append(out.Notes, "sonic: load in this order, on a switch out of service: config qos reload, if the QoS of the platform was never loaded (it removes all QoS of the configuration and makes the platform's); config load FILE, which lays the file over it; config save; config reload, which restarts the services, since pools and maps in use do not change on all platforms")
	return out, nil
}

type sonicWriter struct {
	*Plan
	role
	config *sonic.Config

	// Of a switch whose ports differ there is a writer for each kind of port: all but the first have a suffix for the
	// names of their rows. only are the ports of the kind, counted from 0; nil: all.
	suffix string
	only   []int

	names []string // of the ports, by the site; nil: those of a SONiC switch with all its ports
}

// named is the name of a row of this kind of port.
func (w *sonicWriter) named(row string) string { return row + w.suffix }

// numbers are the ports, counted from 0.
func (w *sonicWriter) numbers() []int {
	if w.only != nil {
		return w.only
	}
	all := make([]int, w.Ports)
	for i := range all {
		all[i] = i
	}
	return all
}

// join adds a row that all kinds of ports have together.
func (w *sonicWriter) join(table string, row sonic.Row) {
	have := w.config.Table(table).Row(row.Key)
	if have == nil {
		w.config.Add(table, row)
		return
	}
	for _, f := range row.Fields {
		have.Set(f.Name, f.Text)
	}
}

// row adds a row of names and values in turn.
func (w *sonicWriter) row(table, key string, values ...string) {
	r := sonic.Row{Key: key}
	for i := 0; i+1 < len(values); i += 2 {
		r.Set(values[i], values[i+1])
	}
	w.config.Add(table, r)
}

// port is the name of a port: SONiC numbers ports by lanes.
func (w *sonicWriter) port(i int) string {
	if i < len(w.names) {
		return w.names[i]
	}
	return fmt.Sprintf("Ethernet%d", i*max(1, w.Lanes))
}

func text(b units.Bytes) string { return fmt.Sprint(int64(b)) }

// exponent is the exponent of the dynamic threshold for an alpha.
func exponent(field string, r scenario.Ratio) (string, error) {
	num, den := r.Num, max(1, r.Den)
	for num > 1 && den > 1 && num%2 == 0 && den%2 == 0 {
		num, den = num/2, den/2
	}
	switch {
	case den == 1 && num > 0 && num&(num-1) == 0 && num <= 1<<7:
		return fmt.Sprint(bits.Len64(uint64(num)) - 1), nil
	case num == 1 && den&(den-1) == 0 && den <= 1<<8:
		return fmt.Sprint(1 - bits.Len64(uint64(den))), nil
	}
	return "", fmt.Errorf("%s is %v, and SONiC knows powers of two from 1/256 to 128: choose the next one", field, r)
}

// buffers writes the pools and their profiles.
func (w *sonicWriter) buffers() error {
	pfc := &w.Ethernet.PFC
	mode := "dynamic"
	if pfc.XOFF > 0 {
		mode = "static"
	}
	pool := []string{"type", "ingress", "mode", mode, "size", text(w.Shared)}
	if pfc.HeadroomPool > 0 {
		pool = append(pool, "xoff", text(pfc.HeadroomPool))
	}
	if w.suffix == "" { // pools are the whole switch's
		w.row("BUFFER_POOL", ingressPool, pool...)
		w.row("BUFFER_POOL", egressPool, "type", "egress", "mode", "dynamic", "size", text(w.Buffer))
	}
	threshold := []string{"static_th", text(pfc.XOFF)}
	if pfc.XOFF == 0 {
		th, err := exponent("ethernet.pfc.alpha", pfc.Alpha)
		if err != nil {
			return err
		}
		threshold = []string{"dynamic_th", th}
	}
	w.row("BUFFER_PROFILE", w.named(ingressRow), append([]string{"pool", ingressPool, "size", text(pfc.Reserve)}, threshold...)...)
	if len(w.priorities()) > 0 {
		if pfc.Headroom == 0 {
			return fmt.Errorf("priorities %v are lossless and ethernet.pfc.headroom is 0: SONiC takes such a profile for a lossy one, and what comes after a pause is dropped; state it (weft roce headroom reckons it)", w.priorities())
		}
		if err := w.losslessProfiles(threshold); err != nil {
			return err
		}
		if err := w.classProfiles(threshold); err != nil {
			return err
		}
	}
	w.row("BUFFER_PROFILE", w.named(losslessRow), "pool", egressPool, "size", "0", "dynamic_th", "7") // large enough to mean no bound
	th, err := exponent("ethernet.egress-alpha", w.Ethernet.EgressAlpha)
	if err != nil {
		return err
	}
	w.row("BUFFER_PROFILE", w.named(lossyRow), "pool", egressPool, "size", "0", "dynamic_th", th)
	return nil
}

// losslessProfiles writes a profile for each length of cable.
func (w *sonicWriter) losslessProfiles(threshold []string) error {
	pfc := &w.Ethernet.PFC
	for _, cable := range w.lengths() {
		headroom := w.headroomOf(cable)
		size := pfc.Reserve
		if w.NVIDIA {
			size += headroom
		} else if pfc.Reserve >= headroom {
			return fmt.Errorf("a reserve of %v is more than the headroom of %v: on a switch that keeps them apart this is read as one that does not", pfc.Reserve, headroom)
		}
		w.row("BUFFER_PROFILE", w.losslessProfile(cable), append([]string{
			"pool", ingressPool, "size", text(size), "xon", text(pfc.XON), "xon_offset", text(pfc.XONOffset), "xoff", text(headroom),
		}, threshold...)...)
	}
	return nil
}

// classProfiles writes the profiles of classes with a part of the buffer of their own.
func (w *sonicWriter) classProfiles(threshold []string) error {
	for _, c := range w.Ethernet.PFC.Classes {
		size, own := c.Reserve, threshold
		if w.NVIDIA {
			size += c.Headroom
		} else if c.Reserve >= c.Headroom {
			return fmt.Errorf("priority %d has a reserve of %v, more than its headroom of %v: on a switch that keeps them apart this is read as one that does not", c.Priority, c.Reserve, c.Headroom)
		}
		if c.Headroom == 0 {
			return fmt.Errorf("priority %d is lossless without headroom (ethernet.pfc.classes): SONiC takes such a profile for a lossy one; state its headroom", c.Priority)
		}
		if c.Alpha.Num > 0 && w.Ethernet.PFC.XOFF == 0 {
			th, err := exponent("the alpha of ethernet.pfc.classes", c.Alpha)
			if err != nil {
				return err
			}
			own = []string{"dynamic_th", th}
		}
		w.row("BUFFER_PROFILE", w.classProfile(c.Priority), append([]string{
			"pool", ingressPool, "size", text(size), "xon", text(c.XON), "xon_offset", text(w.Ethernet.PFC.XONOffset), "xoff", text(c.Headroom),
		}, own...)...)
	}
	return nil
}

func (w *sonicWriter) classProfile(priority int) string {
	return w.named(fmt.Sprintf("pg_lossless_priority%d_profile", priority))
}

// losslessProfile has the name that SONiC gives to the profiles that it makes itself.
func (w *sonicWriter) losslessProfile(cable units.Length) string {
	return w.named(fmt.Sprintf("pg_lossless_%d_%dm_profile", w.Speed/units.Mbps, metres(cable)))
}

// groups gives each port's groups and queues their profiles.
func (w *sonicWriter) groups() error {
	cables := sonic.Row{Key: mapRow}
	for _, i := range w.numbers() {
		cable := w.cables[i]
		cables.Set(w.port(i), fmt.Sprintf("%dm", metres(cable)))
		lossless := w.priorities()
		for n := range sonic.Priorities {
			group, queue := w.named(ingressRow), w.named(lossyRow)
			if slices.Contains(lossless, n) {
				group, queue = w.losslessProfile(cable), w.named(losslessRow)
				if slices.ContainsFunc(w.Ethernet.PFC.Classes, func(c scenario.PFCClass) bool { return c.Priority == n }) {
					group = w.classProfile(n)
				}
			}
			key := fmt.Sprintf("%s|%d", w.port(i), n)
			if n == w.group(n) { // others share group 0
				w.row("BUFFER_PG", key, "profile", group)
			}
			w.row("BUFFER_QUEUE", key, "profile", queue)
		}
	}
	w.join("CABLE_LENGTH", cables)
	return nil
}

// group is the priority group of a class: data and lossless classes have their own, all others
// share group 0.
func (w *sonicWriter) group(class int) int {
	if class == w.Data || slices.Contains(w.priorities(), class) {
		return class
	}
	return 0
}

// maps writes the maps from DSCPs to classes, and from classes to groups and queues.
func (w *sonicWriter) maps() error {
	dscp, groups, queues := sonic.Row{Key: w.named(mapRow)}, sonic.Row{Key: w.named(mapRow)}, sonic.Row{Key: w.named(mapRow)}
	rest, err := w.rest()
	if err != nil {
		return err
	}
	for d := range 64 {
		class := rest
		switch d {
		case w.DSCP:
			class = w.Data
		case w.CNPDSCP:
			class = w.CNP
		}
		dscp.Set(fmt.Sprint(d), fmt.Sprint(class))
	}
	for n := range sonic.Priorities {
		groups.Set(fmt.Sprint(n), fmt.Sprint(w.group(n)))
		queues.Set(fmt.Sprint(n), fmt.Sprint(n))
	}
	w.config.Add("DSCP_TO_TC_MAP", dscp)
	w.config.Add("TC_TO_PRIORITY_GROUP_MAP", groups)
	w.config.Add("TC_TO_QUEUE_MAP", queues)
	w.config.Add("MAP_PFC_PRIORITY_TO_QUEUE", w.stopped())
	return nil
}

// stopped is the map from the priority of a pause to the queue that it stops.
func (w *sonicWriter) stopped() sonic.Row {
	row := sonic.Row{Key: w.named(mapRow)}
	for n := range sonic.Priorities {
		queue := n
		for _, s := range w.Ethernet.PFC.Stops {
			if s.Priority == n {
				queue = s.Queue
			}
		}
		if queue >= 0 {
			row.Set(fmt.Sprint(n), fmt.Sprint(queue))
		}
	}
	return row
}

// rest is the class of all DSCPs that do not belong to RDMA.
func (w *sonicWriter) rest() (int, error) {
	lossless := w.priorities()
	for _, q := range w.Ethernet.Queues {
		if q.Priority != w.Data && q.Priority != w.CNP && !slices.Contains(lossless, q.Priority) {
			return q.Priority, nil
		}
	}
	for n := range sonic.Priorities {
		if n != w.Data && n != w.CNP && !slices.Contains(lossless, n) {
			return n, nil
		}
	}
	return 0, fmt.Errorf("priorities %v are all lossless: no class is left for other traffic", lossless)
}

// marking writes the WRED profile, the same for all colours.
func (w *sonicWriter) marking() error {
	e := &w.Ethernet.ECN
	if !e.Enabled {
		return nil
	}
	chance, ok := percent(e.Pmax)
	if !ok {
		return fmt.Errorf("ethernet.ecn.pmax is %v, and SONiC knows whole percents", e.Pmax)
	}
	row := sonic.Row{Key: w.named(markRow)}
	row.Set("ecn", "ecn_all")
	for _, colour := range []string{"green", "yellow", "red"} {
		row.Set("wred_"+colour+"_enable", "true")
		row.Set(colour+"_min_threshold", text(e.Kmin))
		row.Set(colour+"_max_threshold", text(e.Kmax))
		row.Set(colour+"_drop_probability", fmt.Sprint(chance))
	}
	w.config.Add("WRED_PROFILE", row)
	return nil
}

// queues writes the schedulers, one for each weight.
func (w *sonicWriter) queues() error {
	divisor := 0
	for _, q := range w.Ethernet.Queues {
		divisor = gcd(divisor, q.Weight)
	}
	names := map[scenario.Queue]string{}
	for _, q := range w.Ethernet.Queues {
		kind := scenario.Queue{Schedule: q.Schedule, Weight: q.Weight}
		if names[kind] != "" {
			continue
		}
		names[kind] = w.named(fmt.Sprintf("scheduler.%d", len(names)))
		if q.Schedule == scenario.Strict {
			w.row("SCHEDULER", names[kind], "type", "STRICT")
			continue
		}
		weight := q.Weight
		if weight > maxSONiCWeight {
			weight /= divisor
		}
		if weight > maxSONiCWeight {
			return fmt.Errorf("the weight %d of priority %d is more than the %d that SONiC takes", q.Weight, q.Priority, maxSONiCWeight)
		}
		w.row("SCHEDULER", names[kind], "type", "DWRR", "weight", fmt.Sprint(weight))
	}
	for _, i := range w.numbers() {
		for _, q := range w.Ethernet.Queues {
			values := []string{"scheduler", names[scenario.Queue{Schedule: q.Schedule, Weight: q.Weight}]}
			if w.Ethernet.ECN.Enabled && (q.Priority == w.Data || slices.Contains(w.priorities(), q.Priority)) {
				values = append(values, "wred_profile", w.named(markRow))
			}
			w.row("QUEUE", fmt.Sprintf("%s|%d", w.port(i), q.Priority), values...)
		}
	}
	return nil
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// ports turns on maps, PFC and the watchdog.
func (w *sonicWriter) ports() error {
	watchdog := w.watchdog()
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(w.priorities()), " ", ","), "[]")
	own := w.named(mapRow)
	for _, i := range w.numbers() {
		maps := []string{"dscp_to_tc_map", own, "tc_to_pg_map", own, "tc_to_queue_map", own, "pfc_to_queue_map", own, "pfc_enable", list}
		if watchdog != nil {
			maps = append(maps, "pfcwd_sw_enable", list)
		}
		w.row("PORT_QOS_MAP", w.port(i), maps...)
	}
	if watchdog == nil {
		return nil
	}
	times := []struct {
		field string
		at    units.Time
	}{{"poll", watchdog.Poll}, {"detection", watchdog.Detection}, {"restoration", watchdog.Restoration}}
	var ms [3]string
	for i, t := range times {
		if t.at%units.Millisecond != 0 {
			return fmt.Errorf("ethernet.pfc.watchdog.%s is %v, and SONiC knows whole milliseconds", t.field, t.at)
		}
		ms[i] = fmt.Sprint(int64(t.at / units.Millisecond))
	}
	w.join("PFC_WD", sonic.Row{Key: "GLOBAL", Fields: []sonic.Field{{Name: "POLL_INTERVAL", Value: sonic.Value{Text: ms[0]}}}})
	for _, i := range w.numbers() {
		w.row("PFC_WD", w.port(i), "action", string(watchdog.Action), "detection_time", ms[1], "restoration_time", ms[2])
	}
	return nil
}
