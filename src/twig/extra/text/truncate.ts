import { lengthInCharacters } from '../../php/characters.ts'
import { sliceText } from '../../php/slice.ts'

/**
 * A text of at most so many characters, the ellipsis among them. Without `cut`, the word that is under
 * way is finished.
 */
export function truncate(
  text: string,
  options: { length: number; ellipsis: string; cut: boolean },
): string {
  const { length, cut } = options
  const size = lengthInCharacters(text)
  if (size <= length) return text
  const dots = lengthInCharacters(options.ellipsis)
  const ellipsis = dots >= length ? '' : options.ellipsis
  let end = length
  if (!cut) {
    const rest = sliceText(text, Math.max(length - 1, 0), undefined)
    const blank = rest.search(/[ \r\n\t]/)
    if (blank === -1) return text
    end =
      lengthInCharacters(rest.slice(0, blank)) +
      Math.max(length - 1, 0) +
      (ellipsis === '' ? 0 : dots)
  }
  const kept = sliceText(text, 0, end - (ellipsis === '' ? 0 : dots))
  return `${ellipsis === '' ? kept : kept.trimEnd()}${ellipsis}`
}
