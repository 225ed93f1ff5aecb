/** The blanks that PHP's `trim` takes away. */
export const blanks = ' \t\n\r\0\x0B'

export type Side = 'both' | 'left' | 'right'

/** PHP's `trim`, `ltrim` and `rtrim`; `a..z` in the mask is a range of characters. */
export function trim(text: string, mask: string, side: Side): string {
  const isMasked = maskTest(mask)
  const characters = side === 'both' || side === 'left' ? skipFrom(text, isMasked) : 0
  const end = side === 'left' ? text.length : skipBack(text, isMasked, characters)
  return text.slice(characters, end)
}

function skipFrom(text: string, isMasked: (point: number) => boolean): number {
  let position = 0
  while (position < text.length) {
    const point = text.codePointAt(position) ?? 0
    if (!isMasked(point)) break
    position += point > 0xffff ? 2 : 1
  }
  return position
}

function skipBack(text: string, isMasked: (point: number) => boolean, start: number): number {
  let end = text.length
  while (end > start) {
    const isPair = isLowSurrogate(text.charCodeAt(end - 1)) && end - 2 >= start
    const position = isPair ? end - 2 : end - 1
    if (!isMasked(text.codePointAt(position) ?? 0)) break
    end = position
  }
  return end
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

function maskTest(mask: string): (point: number) => boolean {
  const single = new Set<number>()
  const ranges: [number, number][] = []
  const points = Array.from(mask, (character) => character.codePointAt(0) ?? 0)
  for (let i = 0; i < points.length; i++) {
    const from = points[i] ?? 0
    const to = points[i + 3]
    if (points[i + 1] === 46 && points[i + 2] === 46 && to !== undefined && to >= from) {
      ranges.push([from, to])
      i += 3
    } else single.add(from)
  }
  return (point) => single.has(point) || ranges.some(([from, to]) => point >= from && point <= to)
}
