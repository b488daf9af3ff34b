package results

// mostValues bounds the values of results.json, of which weft writes one in 42 bytes. An empty one takes some
// bytes in the file, and a thousand in memory.
const mostValues = 2 << 20
