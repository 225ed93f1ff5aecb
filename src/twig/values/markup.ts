/**
 * Text that is already safe to print: the result of a block, a macro, a capture or a filter that
 * escapes. Only the engine makes one, so data from outside can never pass itself off as safe.
 */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Captured output as Twig hands it on: safe markup, or plain nothing where there was no output. */
export function markupOrEmpty(text: string): Markup | '' {
  return text === '' ? '' : new Markup(text)
}
