/** How much one template may use. Whatever is beyond it ends with an error of kind `limit`. */
export interface Limits {
  /** Units of work, a tenth of a microsecond or so: expressions, elements walked, characters read. */
  steps: number
  /** Characters of the output, and of anything captured on the way. */
  outputLength: number
  /** Bytes taken by everything that is made on the way, whether it is still held or not. */
  allocationBytes: number
  /** How deep templates, blocks, macros and arrow functions may call each other. */
  depth: number
  /** Characters of a template's own text. */
  sourceLength: number
  /** Names, signs, texts and the like that a template's text is made of, with all that a render comes to. */
  sourceTokens: number
  /**
   * Processor time of the thread, the last resort where a step takes longer than any step count foresees.
   * It is measured from the first some hundreds of steps on: an email that takes fewer never meets it,
   * nor does one whose process has to wait for others.
   */
  timeMs: number
}

/** No honest email meets these: one of 3 KB takes about 700 steps and 600 tokens. */
export const defaultLimits: Limits = {
  steps: 500_000,
  outputLength: 5_000_000,
  allocationBytes: 32_000_000,
  depth: 100,
  sourceLength: 1_000_000,
  sourceTokens: 20_000,
  timeMs: 100,
}
