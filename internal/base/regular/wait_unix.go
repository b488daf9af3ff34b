//go:build unix

package regular

import "syscall"

// withoutWaiting has the opening of a pipe not wait for its writer.
const withoutWaiting = syscall.O_NONBLOCK
