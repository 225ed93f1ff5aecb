import type { Meter } from '../values/meter.ts'

/** The blanks that PHP's `trim` takes away. */
export const blanks = ' \t\n\r\0\x0B'

export type Side = 'both' | 'left' | 'right'

/** PHP's `trim`, `ltrim` and `rtrim`; `a..z` in the mask is a range of characters. */
export function trim(
  text: string,
  { mask, side, meter }: { mask: string; side: Side; meter: Meter },
): string {
  meter.spendOnCharacters(text.length)
  const isMasked = mask === blanks ? isBlank : maskTest(mask, meter)
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

function isBlank(point: number): boolean {
  return point === 32 || (point >= 9 && point <= 13 && point !== 12) || point === 0
}

type Range = [from: number, to: number]

function maskTest(mask: string, meter: Meter): (point: number) => boolean {
  meter.allocateElements(mask.length)
  const ranges: Range[] = []
  const points = Array.from(mask, (character) => character.codePointAt(0) ?? 0)
  for (let i = 0; i < points.length; i++) {
    const from = points[i] ?? 0
    const to = points[i + 3]
    if (points[i + 1] === 46 && points[i + 2] === 46 && to !== undefined && to >= from) {
      ranges.push([from, to])
      i += 3
    } else ranges.push([from, from])
  }
  const covered = unionOf(ranges)
  return (point) => isCovered(point, covered)
}

/** The same points as ranges that are in order and do not meet. */
function unionOf(ranges: Range[]): readonly Range[] {
  const union: Range[] = []
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    const last = union.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else union.push([from, to])
  }
  return union
}

/** Searches by halves: a mask may have thousands of ranges. */
function isCovered(point: number, ranges: readonly Range[]): boolean {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    const [from, to] = ranges[middle] ?? [0, 0]
    if (point >= from && point <= to) return true
    if (point < from) high = middle
    else low = middle + 1
  }
  return false
}
