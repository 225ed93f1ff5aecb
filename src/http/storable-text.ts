import { AppError } from '../kit/app-error.ts'

/**
 * Throws where a text cannot be stored as it is on every database: NUL, and halves of characters that
 * UTF-8 has no bytes for.
 */
export function checkStorable(text: string): void {
  if (!text.includes('\0') && text.isWellFormed()) return
  const message =
    'The request holds a NUL or half a surrogate pair, which no text may hold. Leave it out.'
  throw new AppError('invalid', 'text_not_storable', message)
}

/** As `checkStorable`, for every text within a value of JSON. */
export function checkStorableWithin(value: unknown): void {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') checkStorable(next)
    else if (typeof next === 'object' && next !== null) {
      for (const [key, inner] of Object.entries(next)) {
        checkStorable(key)
        waiting.push(inner)
      }
    }
  }
}
