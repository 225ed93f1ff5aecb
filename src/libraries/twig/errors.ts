import { distance } from 'fastest-levenshtein'

/** A source position. Lines and columns count from 1. */
export interface Place {
  readonly templateName: string | undefined
  readonly line: number
  readonly column: number
}

/**
 * The kind of a `TwigError`: `syntax` (the template is invalid), `loader` (a template was not
 * found), `runtime` (an error while rendering), `security` (the sandbox forbids it) or `limit` (the
 * budget is used up).
 *
 * @example
 * ```ts
 * const statuses: Record<TwigErrorKind, number> = {
 *   syntax: 400,
 *   loader: 404,
 *   runtime: 400,
 *   security: 403,
 *   limit: 413,
 * }
 * ```
 */
export type TwigErrorKind = 'syntax' | 'loader' | 'runtime' | 'security' | 'limit'

/**
 * An error of a template, with Twig's own message. `message` contains the template name and line;
 * `rawMessage` does not.
 *
 * @example
 * ```ts
 * try {
 *   createTwig().renderSource('{{ 1 / 0 }}', {}, { name: 'price' })
 * } catch (error) {
 *   if (error instanceof TwigError) console.log(error.kind, error.line, error.message)
 * }
 * ```
 */
export class TwigError extends Error {
  override readonly name = 'TwigError'
  readonly kind: TwigErrorKind
  readonly rawMessage: string
  readonly templateName: string | undefined
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(kind: TwigErrorKind, message: string, place?: Place, cause?: unknown) {
    const rawMessage = cut(message)
    super(sentence(rawMessage, place), cause === undefined ? undefined : { cause })
    this.kind = kind
    this.rawMessage = rawMessage
    this.templateName = place?.templateName
    this.line = place?.line
    this.column = place?.column
  }

  /** Returns the error with a position. An error that already has one is returned unchanged. */
  at(place: Place): TwigError {
    if (this.line !== undefined) return this
    return new TwigError(this.kind, this.rawMessage, place, this.cause)
  }
}

/** Longer messages are cut, because they may quote data. */
const messageLengthMax = 1_000

function cut(message: string): string {
  return message.length <= messageLengthMax ? message : `${message.slice(0, messageLengthMax)}…`
}

/** Puts the position before the final full stop or question mark, as Twig does. */
function sentence(rawMessage: string, place: Place | undefined): string {
  const closing = /[.?]$/.exec(rawMessage)?.[0] ?? ''
  let text = closing === '' ? rawMessage : rawMessage.slice(0, -1)
  if (place?.templateName !== undefined && place.templateName !== '') {
    text += ` in "${place.templateName}"`
  }
  if (place !== undefined && place.line > 0) text += ` at line ${place.line}`
  return text + closing
}

/** Creates an error for a template that is invalid. */
export function syntaxFault(message: string, place?: Place): TwigError {
  return new TwigError('syntax', message, place)
}

/**
 * Creates an error for values that a callable or operator cannot handle. Without a position, the
 * current call adds its own.
 */
export function runtimeFault(message: string, place?: Place): TwigError {
  return new TwigError('runtime', message, place)
}

/** Wraps the message of an exception that PHP would throw, as Twig does. */
export function phpFault(message: string, place?: Place, cause?: unknown): TwigError {
  const sentence = `An exception has been thrown during the rendering of a template ("${message}").`
  return new TwigError('runtime', sentence, place, cause)
}

/** Converts any error that ended a render to a `TwigError` with a position. */
export function explain(error: unknown, place: Place): TwigError {
  if (error instanceof TwigError) return error.at(place)
  if (error instanceof RangeError) {
    const isStack = error.message.includes('call stack')
    const message = isStack
      ? 'The template is nested too deeply.'
      : 'The template creates a string or a sequence that is too large.'
    return new TwigError('limit', message, place, error)
  }
  return phpFault(error instanceof Error ? error.message : String(error), place, error)
}

/** Longer names are not compared. */
const comparedLengthMax = 64

/**
 * Returns Twig's " Did you mean …?" for a misspelt name, or an empty string. A candidate matches
 * when at most a third of the letters differ, or when it contains the name.
 */
export function suggestion(name: string, candidates: Iterable<string>): string {
  if (name === '' || name.length > comparedLengthMax) return ''
  const near: [string, number][] = []
  for (const candidate of new Set(candidates)) {
    const edits =
      candidate.length > comparedLengthMax ? Number.POSITIVE_INFINITY : distance(name, candidate)
    if (edits <= name.length / 3 || candidate.includes(name)) near.push([candidate, edits])
  }
  if (near.length === 0) return ''
  near.sort((a, b) => a[1] - b[1])
  const names = near.slice(0, 8).map(([candidate]) => `"${candidate}"`)
  return ` Did you mean ${names.join(', ')}?`
}
