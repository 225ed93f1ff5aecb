import type { Place } from '../syntax/place.ts'
import { TwigError } from './twig-error.ts'

/** Text that can never run. */
export function syntaxFault(message: string, place?: Place): TwigError {
  return new TwigError('syntax', message, place)
}

/** A fault of the values at hand while rendering. Without a place, the call that met it gives its own. */
export function runtimeFault(message: string, place?: Place): TwigError {
  return new TwigError('runtime', message, place)
}

/** What PHP itself would have thrown inside a filter or operator, wrapped as Twig wraps it. */
export function phpFault(message: string): TwigError {
  return runtimeFault(
    `An exception has been thrown during the rendering of a template ("${message}").`,
  )
}
