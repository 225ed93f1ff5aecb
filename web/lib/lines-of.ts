/** Returns the lines of a text that are not blank, without the spaces around them. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}
