package scenario

import (
	"fmt"
	"strconv"
)

// QKey is the key that a datagram of UD must carry for its receiver's queue pair to
// take it: 31 bits. Those with the highest bit set are for privileged programs (IBA
// vol. 1, 10.2.4), which no pattern is. It is written in hexadecimal or decimal.
type QKey int

// usualQKey is the default Q_Key of the queue pairs of a pattern.
const usualQKey QKey = 0x11111111

// Exact is the key in a form that reads as the same key.
func (k QKey) Exact() string { return fmt.Sprintf("0x%08x", int(k)) }

func parseQKey(text string) (QKey, error) {
	n, err := strconv.ParseUint(text, 0, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is no Q_Key: want 0x1 to 0x7fffffff", abridged(text))
	}
	return QKey(n), nil
}

// checkQKeys checks that keys are given only for datagrams.
func (r workloadRules) checkQKeys() {
	w := &r.Workload
	if w.Transport == UD {
		return
	}
	if w.QKey != 0 {
		r.complain("workload.qkey", "%s has no Q_Keys: take transport: ud, or leave qkey out", w.Transport)
	}
	for i := range w.Flows {
		if w.Flows[i].QKey != 0 {
			r.complain(fmt.Sprintf("workload.flows[%d].qkey", i), "%s has no Q_Keys: take transport: ud, or leave qkey out", w.Transport)
			return
		}
	}
}
