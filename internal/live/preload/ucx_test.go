package preload

import "testing"

// Pieces longer than UCX's own are safe only where the other end has them, too, and where UCX uses them.
func TestUCXSendsLongPiecesToItsLikeOnThisMachine(t *testing.T) {
	for _, c := range []struct {
		name    string
		env     map[string]string
		devices []string
		want    bool
	}{
		{"without a setting", nil, nil, true},
		{"by RC", map[string]string{"UCX_TLS": "rc_v,ud_v,self"}, nil, true},
		{"without RC", map[string]string{"UCX_TLS": "ud_v,tcp"}, nil, false},
		{"all but some", map[string]string{"UCX_TLS": "^rc"}, nil, false},
		{"with the user's pieces", map[string]string{"UCX_IB_SEG_SIZE": "16k"}, nil, false},
		{"with the user's receives", map[string]string{"UCX_RC_VERBS_RX_QUEUE_LEN": "64"}, nil, false},
		{"on the loopback", nil, []string{"127.0.0.7", "a=127.0.0.8", "b", "::1"}, true},
		{"on an interface", nil, []string{"192.0.2.7"}, false},
		{"on the loopback and an interface", nil, []string{"127.0.0.7", "a=2001:db8::1"}, false},
		{"on an emulated fabric", map[string]string{"WEFT_EMULATOR": "/tmp/fabric"}, nil, false},
	} {
		v := map[string]string{}
		setPieces(v, func(name string) string { return c.env[name] }, c.devices)
		if got := len(v) > 0; got != c.want {
			t.Errorf("%s: %v, want set %v", c.name, v, c.want)
		}
	}
}
