import type { Meter } from '../values/meter.ts'

/** What the entity and the text before it take. */
const bytesAnEntity = 64

const special = /["&'<>]/

/** Text for HTML, in elements and in quoted attributes: PHP's `htmlspecialchars` with ENT_QUOTES. */
export function escapeHtml(text: string, meter: Meter): string {
  if (!special.test(text)) return text
  meter.allocateText(text.length)
  meter.spendOnCharacters(text.length)
  let escaped = ''
  let kept = 0
  for (let position = 0; position < text.length; position++) {
    const entity = entityOf(text.charCodeAt(position))
    if (entity === '') continue
    meter.spend(1)
    meter.allocate(bytesAnEntity)
    escaped += text.slice(kept, position) + entity
    kept = position + 1
  }
  return escaped + text.slice(kept)
}

/** By hand: three times as fast as a look-up in an object or a replacing function. */
function entityOf(unit: number): string {
  switch (unit) {
    case 34:
      return '&quot;'
    case 38:
      return '&amp;'
    case 39:
      return '&#039;'
    case 60:
      return '&lt;'
    case 62:
      return '&gt;'
    default:
      return ''
  }
}
