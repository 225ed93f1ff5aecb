import type { Meter } from '../values/meter.ts'

const short: Record<string, string> = {
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** Text for a JavaScript or JSON string in any context of HTML: all but letters and digits as `\uXXXX`. */
export function escapeJs(text: string, meter: Meter): string {
  meter.allocateText(text.length * 6)
  return text.replace(
    /[^a-zA-Z0-9,._]/g,
    (unit) => short[unit] ?? `\\u${hexadecimal(unit.charCodeAt(0)).padStart(4, '0')}`,
  )
}

function hexadecimal(unit: number): string {
  return unit.toString(16).toUpperCase()
}
