/** The characters of a text: its code points, as PHP's `mb_` functions count them. */
export function characters(text: string): string[] {
  return Array.from(text)
}

/** How many code points a text has. */
export function lengthInCharacters(text: string): number {
  let pairs = 0
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(i + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      pairs++
      i++
    }
  }
  return text.length - pairs
}

/** The position so many code points behind another. */
export function unitsOf(text: string, from: number, count: number): number {
  let at = from
  for (let left = count; left > 0 && at < text.length; left--) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }
  return at
}
