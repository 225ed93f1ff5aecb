import type { TwigError } from '../errors/twig-error.ts'
import type { Vocabulary } from './tag.ts'

/** What a template is parsed with. */
export interface ParseOptions {
  readonly name: string | undefined
  readonly vocabulary: Vocabulary
  /** Where given, faults are told here and parsing goes on behind them as well as it can. */
  readonly onFault?: ((fault: TwigError) => void) | undefined
  /** Told of what runs but should not be written so. */
  readonly onWarning?: ((warning: TwigError) => void) | undefined
}
