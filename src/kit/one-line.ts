/** Makes one line of a text: control characters, line ends included, become spaces. A longer text is cut. */
export function oneLine(text: string, lengthMax: number): string {
  const line = text
    .slice(0, lengthMax)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
  return line.trim()
}
