import { runtimeFault } from '../../errors.ts'
import type { Render } from '../../runtime/render.ts'
import { toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'

/** No locale has a longer name. */
const longestLocale = 80

/** A locale as Intl names it, of ICU's `fr_CA` or of null for the engine's own. Throws for what is none. */
export function localeOf(value: Value, { settings }: Render): string {
  const wanted = value === null ? settings.locale : toText(value)
  const [bare = ''] = wanted.slice(0, longestLocale).split('@')
  try {
    const [canonical] = Intl.getCanonicalLocales(bare.replaceAll('_', '-'))
    if (canonical !== undefined) return canonical
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw runtimeFault(`The locale "${wanted}" does not exist.`)
}
