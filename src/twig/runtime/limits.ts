/** How much one render may use. Every number ends the render with an error of kind `limit`. */
export interface Limits {
  /** Units of work: roughly one for each expression, each element walked, each 64 characters read. */
  steps: number
  /** Characters of the output, and of anything captured on the way. */
  outputLength: number
  /** Bytes taken by everything that is made on the way, whether it is still held or not. */
  allocationBytes: number
  /** How deep templates, blocks, macros and arrow functions may call each other. */
  depth: number
  /** Characters of a template's own text. */
  sourceLength: number
  /** Wall time, the last resort on a machine that is slower than any step count foresees. */
  timeMs: number
}

/** No honest email meets these: a 3 KB email takes about 500 steps. */
export const defaultLimits: Limits = {
  steps: 1_000_000,
  outputLength: 8_000_000,
  allocationBytes: 32_000_000,
  depth: 100,
  sourceLength: 1_000_000,
  timeMs: 2_000,
}
