package simulator

import (
	"net/http/httptest"
	"testing"

	"weft/internal/formats/metrics"
)

// Who may scrape: requests to this machine's name on loopback, and holders of the token elsewhere.
func TestWhoMayScrape(t *testing.T) {
	snapshot := func() *metrics.Snapshot { return &metrics.Snapshot{} }
	for _, c := range []struct {
		own                       bool
		token, host, auth, method string
		path                      string
		want                      int
	}{
		{true, "", "localhost:9400", "", "GET", "/metrics", 200},
		{true, "", "[::1]:9400", "", "GET", "/metrics", 200},
		{true, "", "evil.example:9400", "", "GET", "/metrics", 403},
		{true, "", "localhost", "", "POST", "/metrics", 405},
		{true, "", "localhost", "", "GET", "/", 404},
		{false, "0123456789abcdef", "node7:9400", "", "GET", "/metrics", 401},
		{false, "0123456789abcdef", "node7:9400", "Bearer 0123456789abcdee", "GET", "/metrics", 401},
		{false, "0123456789abcdef", "node7:9400", "Bearer 0123456789abcdef", "GET", "/metrics", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, "http://"+c.host+c.path, nil)
		if c.auth != "" {
			r.Header.Set("Authorization", c.auth)
		}
		w := httptest.NewRecorder()
		(&exporter{take: snapshot, own: c.own, token: c.token}).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}
