package door

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Own reports whether a number that the kernel gives for another process's user is the user of this
// process, and no other.
func Own(uid uint32) bool { return int(uid) == os.Geteuid() && !Anybody(uid) }

// OwnOrRoot reports whether it is the user of this process, or root.
func OwnOrRoot(uid uint32) bool { return uid == 0 || Own(uid) }

// Anybody reports whether a number can stand for every user without a number in this process's namespace.
func Anybody(uid uint32) bool { return uid == overflow() }

// Name names a user for a message.
func Name(uid uint32) string {
	if Anybody(uid) {
		return fmt.Sprintf("a user without a number in this user namespace (%d)", uid)
	}
	return fmt.Sprintf("user %d", uid)
}

// none is no user (uid_t -1, setreuid(2)).
const none = 1<<32 - 1

// overflow is the number that stands for all users without one; none if every user has one.
var overflow = sync.OnceValue(func() uint32 {
	uids, _ := os.ReadFile("/proc/self/uid_map")
	number, _ := os.ReadFile("/proc/sys/kernel/overflowuid")
	return overflowIn(string(uids), string(number))
})

// overflowIn is overflow by the kernel's files of the same names. Without them it is the kernel's default: on other
// systems it is nobody's number.
func overflowIn(uidMap, overflowuid string) uint32 {
	f := strings.Fields(uidMap) // of the initial namespace: 0, 0 and the number of all users
	if len(f) == 3 && f[0] == "0" && f[2] == strconv.Itoa(none) {
		return none
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(overflowuid), 10, 32); err == nil {
		return uint32(n)
	}
	return 65534
}
