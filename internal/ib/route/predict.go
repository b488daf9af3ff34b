package route

import (
	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
)

// OpenSMVerdict is the result of OpenSM 3.3.23 on a fabric with an engine.
type OpenSMVerdict struct {
	Asked  Name   `json:"asked"`
	Used   Name   `json:"used"`
	Reason string `json:"reason,omitempty"` // why Used is not Asked
	Remedy string `json:"remedy,omitempty"`
	// Unreachable is the number of pairs, each a switch with hosts and the LID of another host,
	// without a path. CreditLoops is the number of credit loops without a common port.
	Unreachable int `json:"unreachable_pairs"`
	CreditLoops int `json:"credit_loops"`
}

// Predict computes the verdict of OpenSM with an engine. It fails as Compute and proof.Check do.
func Predict(s *subnet.Subnet, name Name) (OpenSMVerdict, error) {
	res, err := Compute(s, name, Options{AsOpenSM: true})
	if err != nil {
		return OpenSMVerdict{}, err
	}
	p, err := proof.Check(s, res.Tables, proof.Options{})
	if err != nil {
		return OpenSMVerdict{}, err
	}
	rep := &res.Report
	return OpenSMVerdict{rep.Asked, rep.Used, rep.Reason, rep.Remedy, rep.UnreachablePairs, p.CreditLoops}, nil
}
