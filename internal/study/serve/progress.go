package serve

import "sync"

// counted is a function that counts simulations and tells of each.
func counted(total int, tell func(done, total int, fabric string)) func(fabric string) {
	var mu sync.Mutex
	done := 0
	return func(fabric string) {
		mu.Lock()
		defer mu.Unlock()
		done++
		if tell != nil {
			tell(done, total, fabric)
		}
	}
}
