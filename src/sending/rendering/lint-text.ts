import type { Twig, TwigFault } from '../../twig/index.ts'
import { blankTokens } from './tokens.ts'

/** Lints a text of an email that is Twig itself, as it will be rendered: its tokens are no code. */
export function createLintText(twig: Twig): (text: string) => readonly TwigFault[] {
  return (text) => twig.lint(blankTokens(text), 'email').faults
}
