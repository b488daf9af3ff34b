// Package checks has the verbs that judge: diagnose and calibrate hold logs of a real cluster against
// the simulator, validate holds the simulator against references, and audit shows whether zones are
// separate. dashboards writes what Grafana needs.
package checks
