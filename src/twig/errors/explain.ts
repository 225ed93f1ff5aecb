import type { Place } from '../syntax/place.ts'
import { TwigError } from './twig-error.ts'

/** Whatever ended a render, as a `TwigError` with a place. */
export function explain(error: unknown, place: Place): TwigError {
  if (error instanceof TwigError) return error.at(place)
  if (error instanceof RangeError) {
    const isStack = error.message.includes('call stack')
    const message = isStack
      ? 'The template is nested too deeply.'
      : 'The template needs more memory than it may have.'
    return new TwigError('limit', message, place, error)
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new TwigError(
    'runtime',
    `An exception has been thrown during the rendering of a template ("${reason}").`,
    place,
    error,
  )
}
