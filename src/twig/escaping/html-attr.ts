import type { Meter } from '../values/meter.ts'

const named: Record<string, string> = { '"': '&quot;', '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Text for an HTML attribute, even one without quotes (https://owasp.org, XSS prevention, rule 2). */
export function escapeHtmlAttr(text: string, meter: Meter): string {
  return escapeAll(text, /[^a-zA-Z0-9,.\-_]/gu, meter)
}

/** As `escapeHtmlAttr`, leaving what names of attributes may hold besides: `:`, `@`, `[` and `]`. */
export function escapeHtmlAttrRelaxed(text: string, meter: Meter): string {
  return escapeAll(text, /[^a-zA-Z0-9,.\-_:@[\]]/gu, meter)
}

function escapeAll(text: string, unsafe: RegExp, meter: Meter): string {
  meter.allocateText(text.length * 6)
  return text.replace(unsafe, (character) => {
    const point = character.codePointAt(0) ?? 0
    if (isUndefinedInHtml(point)) return '&#xFFFD;'
    const width = point < 0x80 ? 2 : 4
    return named[character] ?? `&#x${point.toString(16).toUpperCase().padStart(width, '0')};`
  })
}

/** Control characters that HTML has no place for. */
function isUndefinedInHtml(point: number): boolean {
  if (point <= 0x1f) return point !== 9 && point !== 10 && point !== 13
  return point === 0x7f
}
