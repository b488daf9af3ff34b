package cli

import (
	"strings"
	"testing"
)

// An address that cannot be shared is refused with the reason.
func TestAnAddressThatCannotBeShared(t *testing.T) {
	for given, want := range map[string]string{
		"foo":            `"foo" is not an address: valid is IPv4 or IPv6, such as 192.0.2.7`,
		"127.0.0.5:4791": `"127.0.0.5:4791" is not an address`,
		"0.0.0.0":        "give an address of an interface",
		"192.0.2.99":     "cannot assign requested address",
	} {
		if code, _, stderr := invoke(environment([]string{"verbs", "serve", given})); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s: want %s", given, code, stderr, want)
		}
	}
}
