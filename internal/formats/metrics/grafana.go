package metrics

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Dashboard is a dashboard of Grafana.
type Dashboard struct {
	Name string // of its file, without the ending
	JSON []byte
}

// panel is a diagram: its queries with %s for matchers, each with the legend of its lines.
type panel struct {
	title, unit string // of Grafana
	queries     [][2]string
}

// ports is the rate of a counter of ports: per second of simulated time for a run of weft, whose series have
// a fabric, and of real time for a cluster.
func ports(name string) [2]string {
	return [2]string{
		"sum by (instance, device, fabric) (rate(" + name + "{%s}[$__rate_interval])) / on (fabric) group_left () (sum by (fabric) (rate(" + SimulatedName + "[$__rate_interval])) or vector(1))",
		nic,
	}
}

const (
	hosts = `instance=~"$instance"`
	nic   = "{{instance}} {{device}}"
)

// dashboards are the panels of each dashboard.
var dashboards = []struct {
	name, title, label string
	panels             []panel
}{
	{"weft-fabric", "Fabric: ports of NICs", "instance", []panel{
		{"Sent", "Bps", [][2]string{ports("node_infiniband_port_data_transmitted_bytes_total")}},
		{"Received", "Bps", [][2]string{ports("node_infiniband_port_data_received_bytes_total")}},
		{"Rate of the links", "Bps", [][2]string{{RateName + "{%s}", nic}}},
		{"Packets sent", "pps", [][2]string{ports("node_infiniband_port_packets_transmitted_total")}},
		{"Waiting for credits", "short", [][2]string{ports("node_infiniband_port_transmit_wait_total")}},
		{"Discarded", "pps", [][2]string{ports("node_infiniband_port_discards_transmitted_total"), ports("node_infiniband_port_discards_received_total")}},
		{"NVLink, sent and received", "Bps", [][2]string{{nvlinkSent + "{%s}", "{{instance}} GPU {{gpu}} sent"}, {nvlinkTaken + "{%s}", "{{instance}} GPU {{gpu}} received"}}},
	}},
	{"weft-roce", "RoCE: congestion, pauses, losses", "instance", []panel{
		{"CNPs sent", "pps", [][2]string{ports("node_infiniband_np_cnp_packets_sent_total")}},
		{"CNPs handled", "pps", [][2]string{ports("node_infiniband_rp_cnp_packets_handled_total")}},
		{"Packets with an ECN mark", "pps", [][2]string{ports("node_infiniband_np_ecn_marked_roce_packets_received_total")}},
		{"Pause frames received, priority 3", "pps", [][2]string{ports("node_ethtool_received_prio3_pause")}},
		{"Pause frames sent, priority 3", "pps", [][2]string{ports("node_ethtool_transmitted_prio3_pause")}},
		{"Paused, priority 3, microseconds a second", "short", [][2]string{ports("node_ethtool_received_prio3_pause_duration")}},
		{"Out of sequence", "pps", [][2]string{ports("node_infiniband_out_of_sequence_packets_received_total")}},
		{"NAKs for a sequence error", "pps", [][2]string{ports("node_infiniband_packet_sequence_errors_total")}},
		{"Timeouts", "ops", [][2]string{ports("node_infiniband_local_ack_timeout_errors_total")}},
		{"Receiver not ready", "pps", [][2]string{ports("node_infiniband_rnr_nak_retry_packets_received_total")}},
	}},
	{"weft-nccl", "NCCL: bus bandwidth", "node", []panel{
		{"Bus bandwidth, GB/s", "short", [][2]string{{busBandwidth + "{%s}", "{{node}} {{gpu}} {{collective}} {{message_size}} {{fabric}}"}}},
		{"Slowest rank of each collective, GB/s", "short", [][2]string{{"min by (collective, message_size, fabric) (" + busBandwidth + "{%s})", "{{collective}} {{message_size}} {{fabric}}"}}},
		{"Fastest rank over slowest rank", "short", [][2]string{{
			"max by (collective, message_size, fabric) (" + busBandwidth + "{%s}) / min by (collective, message_size, fabric) (" + busBandwidth + "{%s})",
			"{{collective}} {{message_size}} {{fabric}}",
		}}},
	}},
}

// Dashboards are the dashboards of Grafana over the metrics of the table.
func Dashboards() (all []Dashboard, err error) {
	for _, d := range dashboards {
		matcher := hosts
		if d.label != "instance" {
			matcher = d.label + `=~"$` + d.label + `"`
		}
		var panels []any
		for i, p := range d.panels {
			var targets []any
			for j, q := range p.queries {
				targets = append(targets, map[string]any{
					"refId": string(rune('A' + j)), "expr": strings.ReplaceAll(q[0], "%s", matcher), "legendFormat": q[1],
				})
			}
			panels = append(panels, map[string]any{
				"id": i + 1, "type": "timeseries", "title": p.title, "targets": targets, "datasource": map[string]string{"type": "prometheus", "uid": "${datasource}"},
				"fieldConfig": map[string]any{"defaults": map[string]any{"unit": p.unit, "min": 0}, "overrides": []any{}},
				"gridPos":     map[string]int{"h": 8, "w": 12, "x": 12 * (i % 2), "y": 8 * (i / 2)},
			})
		}
		text, err := json.MarshalIndent(map[string]any{
			"uid": d.name, "title": d.title, "tags": []string{"weft", "rdma"}, "schemaVersion": 39, "timezone": "browser", "refresh": "15s",
			"time": map[string]string{"from": "now-1h", "to": "now"}, "panels": panels, "templating": map[string]any{"list": variables(d.label)},
		}, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		all = append(all, Dashboard{d.name, append(text, '\n')})
	}
	return all, nil
}

// variables are the choices above a dashboard: the data source and the hosts.
func variables(label string) []any {
	of := RateName
	if label != "instance" {
		of = busBandwidth
	}
	return []any{
		map[string]any{"name": "datasource", "type": "datasource", "query": "prometheus"},
		map[string]any{
			"name": label, "type": "query", "datasource": map[string]string{"type": "prometheus", "uid": "${datasource}"}, "query": "label_values(" + of + ", " + label + ")",
			"includeAll": true, "multi": true, "allValue": ".*", "current": map[string]any{"text": "All", "value": "$__all"}, "refresh": 2,
		},
	}
}
