/** Escapes a text for a LIKE pattern, with a backslash. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
