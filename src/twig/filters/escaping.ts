import type { FilterDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { escapeAlways, getEscaper } from '../escaping/escape.ts'
import { toText } from '../values/text.ts'

function escaping(name: string): FilterDefinition {
  return {
    name,
    signature: signature('strategy = "html", charset = null, autoescape = false'),
    safeFor: ([strategy]) => (typeof strategy === 'string' ? [strategy] : []),
    apply(value, [strategy = 'html'], render) {
      return escapeAlways(value, getEscaper(toText(strategy), render), render.budget)
    },
  }
}

/** `escape`: safe for HTML, or for `js`, `css`, `url`, `html_attr`. */
export const escapeFilter = escaping('escape')

/** `e`: short for `escape`. */
export const eFilter = escaping('e')

/** `raw`: safe as it is; nothing is escaped. */
export const rawFilter: FilterDefinition = {
  name: 'raw',
  signature: signature(''),
  safeFor: ['all'],
  apply: (value) => value,
}
