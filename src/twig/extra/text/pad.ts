import { toInt } from '../../php/casts.ts'
import { lengthInCharacters } from '../../php/characters.ts'
import type { Meter } from '../../values/meter.ts'
import { toText } from '../../values/text.ts'
import type { Value } from '../../values/value.ts'

/** `padStart(10, '.')` and its kin. */
export function pad(
  side: 'start' | 'end' | 'both',
): (text: string, args: readonly Value[], meter: Meter) => string {
  return (text, [length = 0, filler = ' '], meter) => {
    const missing = toInt(length) - lengthInCharacters(text)
    if (missing <= 0) return text
    meter.allocateText(missing)
    const before = side === 'end' ? 0 : side === 'start' ? missing : Math.floor(missing / 2)
    const signs = toText(filler) || ' '
    return ''.padStart(before, signs) + text + ''.padEnd(missing - before, signs)
  }
}
