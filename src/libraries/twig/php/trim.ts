import type { Budget } from '../budget.ts'

/** The whitespace that PHP's `trim` removes. */
export const blanks = ' \t\n\r\0\x0B'

export type Side = 'both' | 'left' | 'right'

/** Options of `trim`: the characters to remove (`a..z` is a range) and the ends. */
export interface TrimOptions {
  readonly mask?: string
  readonly side?: Side
  readonly budget: Budget
}

/** PHP's `trim`, `ltrim` and `rtrim`. */
export function trim(text: string, { mask = blanks, side = 'both', budget }: TrimOptions): string {
  budget.spendOnCharacters(text.length / 8)
  const isMasked = mask === blanks ? isBlank : maskTest(mask, budget)
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

function maskTest(mask: string, budget: Budget): (point: number) => boolean {
  budget.allocateElements(mask.length)
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
  const [first, ...others] = merged(ranges)
  if (first === undefined) return (point) => single.has(point)
  const [low, high] = first
  return (point) => {
    budget.spend(others.length / 8)
    if (single.has(point) || (point >= low && point <= high)) return true
    return others.some(([from, to]) => point >= from && point <= to)
  }
}

/** Merges ranges that touch or overlap. */
function merged(ranges: [number, number][]): [number, number][] {
  const apart: [number, number][] = []
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = apart.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else apart.push([from, to])
  }
  return apart
}
