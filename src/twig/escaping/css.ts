import type { Meter } from '../values/meter.ts'

/** Text for a CSS string or identifier: all but letters and digits as `\XX `. */
export function escapeCss(text: string, meter: Meter): string {
  meter.allocateText(text.length * 5)
  return text.replace(/[^a-zA-Z0-9]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0
    return `\\${point.toString(16).toUpperCase()} `
  })
}
