import { characters, lengthInCharacters } from '../../php/characters.ts'
import type { Meter } from '../../values/meter.ts'
import { splitText } from '../../values/search.ts'

/** A text broken into lines of at most so many characters; `cut` breaks words that are longer too. */
export function wordwrap(
  text: string,
  { width, line, cut, meter }: { width: number; line: string; cut: boolean; meter: Meter },
): string {
  const most = Math.max(width, 1)
  const paragraphs = line === '' ? [...text] : splitText(text, line, { meter })
  return paragraphs
    .map((paragraph) => wrapParagraph(paragraph, { most, cut }).join(line))
    .join(line)
}

function wrapParagraph(text: string, { most, cut }: { most: number; cut: boolean }): string[] {
  const lines: string[] = []
  const words = text.split(' ').flatMap((whole) => (cut ? pieces(whole, most) : [whole]))
  let current: string[] = []
  let length = 0
  for (const word of words) {
    const size = lengthInCharacters(word)
    if (current.length > 0 && length + 1 + size > most) {
      lines.push(current.join(' '))
      current = []
      length = 0
    }
    length += size + (current.length > 0 ? 1 : 0)
    current.push(word)
  }
  return [...lines, current.join(' ')]
}

function pieces(word: string, size: number): string[] {
  const all = characters(word)
  if (all.length <= size) return [word]
  const parts: string[] = []
  for (let i = 0; i < all.length; i += size) parts.push(all.slice(i, i + size).join(''))
  return parts
}
