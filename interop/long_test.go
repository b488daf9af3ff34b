//go:build linux

package interop

import "testing"

// The emulated machine takes much longer for these messages than perftest's timeout of 67 ms.
func TestLongMessagesEndWellThoughTheMachineIsSlow(t *testing.T) {
	each(t, []tool{
		perftest("ib_read_bw", "-n 5 -s 8388608", false),
		perftest("ib_send_bw", "-n 5 -s 8388608", false),
		perftest("ib_write_bw", "-n 5 -s 8388608", false),
	}, lossy{})
}
