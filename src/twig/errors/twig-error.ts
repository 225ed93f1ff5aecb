import type { Place } from '../syntax/place.ts'

/**
 * What kind of fault ended the work: text that can never run (`syntax`), a template that the loader
 * doesn't have (`loader`), a fault while rendering (`runtime`), something the sandbox forbids
 * (`security`), or a budget that was used up (`limit`).
 */
export type TwigErrorKind = 'syntax' | 'loader' | 'runtime' | 'security' | 'limit'

/**
 * A fault of a template, told in Twig's own sentences. `message` is the whole sentence with template
 * and line, as Twig prints it; `rawMessage` is the sentence alone.
 */
export class TwigError extends Error {
  override readonly name = 'TwigError'
  readonly kind: TwigErrorKind
  readonly rawMessage: string
  readonly templateName: string | undefined
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(kind: TwigErrorKind, rawMessage: string, place?: Place, cause?: unknown) {
    super(sentence(rawMessage, place), cause === undefined ? undefined : { cause })
    this.kind = kind
    this.rawMessage = rawMessage
    this.templateName = place?.templateName
    this.line = place?.line
    this.column = place?.column
  }

  /** The same fault with its place, where it had none; itself where the place is already known. */
  at(place: Place): TwigError {
    if (this.line !== undefined) return this
    return new TwigError(this.kind, this.rawMessage, place, this.cause)
  }
}

/** Twig puts the place before the closing full stop or question mark. */
function sentence(rawMessage: string, place: Place | undefined): string {
  const closing = /[.?]$/.exec(rawMessage)?.[0] ?? ''
  let text = closing === '' ? rawMessage : rawMessage.slice(0, -1)
  if (place?.templateName !== undefined && place.templateName !== '') {
    text += ` in "${place.templateName}"`
  }
  if (place !== undefined && place.line > 0) text += ` at line ${place.line}`
  return text + closing
}
