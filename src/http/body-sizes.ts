/** How large a body may be, in bytes. */
export const bodySizeBytesMax = 1024 * 1024

/** How large the body of a log-in or of a request for a token may be, in bytes: anybody may send one. */
export const publicBodySizeBytesMax = 64 * 1024

/** How large the head of a request may be, in bytes: a batch may name 10,000 ids in its query. */
export const headSizeBytesMax = 256 * 1024

/** How large the body of a batch may be, in bytes. */
export const batchSizeBytesMax = 16 * 1024 * 1024
