// Package metrics has the counters of adapters, GPUs and collectives under the names by which exporters
// of Prometheus publish them.
//
// One table, [Rows], has each metric: its name, type, unit, help and labels, the source of the name, the
// counter of weft behind it, and what a value says that is unlike the peers'. The writer of a run's metrics, the
// reader of a cluster's, the dashboards and docs/METRICS.md use this table and nothing else.
//
//   - table.go: the rows
//   - snapshot.go: the counters of a run or of a device, by port
//   - write.go: a snapshot in Prometheus's and OpenMetrics' text formats
//   - series.go, read.go, answer.go, inspector.go: readers of a text dump, of an answer of Prometheus, and of
//     NCCL Inspector's JSON
//   - grafana.go: dashboards
//
// Sources: prometheus/node_exporter 1.12.1, its collectors infiniband and ethtool;
// NVIDIA/dcgm-exporter, etc/default-counters.csv, and its issues 87 and 472; NVIDIA/nccl,
// plugins/profiler/inspector (README.md, inspector_prom.cc, inspector_json.cc); yuuki/rdma_exporter, README.md;
// treydock/infiniband_exporter, collectors/switch.go at 0f510330; vinted/sonic-exporter,
// internal/collector/queue_collector.go at 6e6674ea;
// "Understanding mlx5 Linux counters and status parameters" (NVIDIA) for the meaning of counters.
package metrics
