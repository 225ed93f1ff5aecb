import type { Output } from './output.ts'
import type { Surroundings } from './surroundings.ts'

/** What every command is run with. */
export interface CommandContext {
  surroundings: Surroundings
  output: Output
}
