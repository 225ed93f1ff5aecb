/** The kind of a text: in HTML, templates escape what they print. */
export type TextKind = 'html' | 'text'

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}

/** Escapes text for HTML as Twig's filter `escape` does, so that it ends no tag and no quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
