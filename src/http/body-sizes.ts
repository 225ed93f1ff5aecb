/** How large a body may be, in bytes. */
export const bodySizeBytesMax = 1024 * 1024

/** How large the body of a batch may be, in bytes. */
export const batchSizeBytesMax = 16 * 1024 * 1024
