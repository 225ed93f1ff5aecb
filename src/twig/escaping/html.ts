import type { Meter } from '../values/meter.ts'

const special = /[&<>"']/
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}

/** Shorter texts are looked through faster by hand than by a regular expression. */
const shortText = 24

/** Text for HTML, in elements and in quoted attributes: PHP's `htmlspecialchars` with ENT_QUOTES. */
export function escapeHtml(text: string, meter: Meter): string {
  if (text.length < shortText ? !hasSpecial(text) : !special.test(text)) return text
  // Every character may become six.
  meter.allocateText(text.length * 2)
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

function hasSpecial(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 38 || unit === 60 || unit === 62 || unit === 34 || unit === 39) return true
  }
  return false
}
