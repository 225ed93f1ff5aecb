import { fraction, type Rule } from './reading.ts'
import { offsetZone } from './zones.ts'

const meridian = '[ \\t]*([ap])\\.?m\\.?(?![a-z])'

function fromTwelve(hour: string | undefined, letter: string | undefined): number {
  const number = Number(hour) % 12
  return letter?.toLowerCase() === 'p' ? number + 12 : number
}

function hourOf(hour: string | undefined, letter: string | undefined): number {
  return letter === undefined ? Number(hour) : fromTwelve(hour, letter)
}

function time(pattern: string, apply: Rule['apply']): Rule {
  return { pattern, sets: 'time', apply }
}

/** Times of day, and moments by their number of seconds. */
export const timeRules: readonly Rule[] = [
  {
    sets: 'date',
    pattern: '@(-?[0-9]{1,15})(?:\\.([0-9]{0,6}))?',
    apply(reading, [seconds, micro]) {
      reading.setDate(1970, 1, 1)
      reading.setTime(0, 0, 0)
      const sign = seconds?.startsWith('-') ? -1 : 1
      reading.shift.seconds += Number(seconds)
      reading.shift.milliseconds += sign * fraction(micro)
      reading.zone = offsetZone(0)
      reading.isMoment = true
    },
  },
  time(
    `(1[0-2]|0?[1-9])(?:[:.]([0-5]?[0-9])(?:[:.]([0-5]?[0-9]|60))?)?${meridian}`,
    (reading, [hour, minute, second, letter]) =>
      reading.setTime(fromTwelve(hour, letter), Number(minute ?? 0), Number(second ?? 0)),
  ),
  time(
    't?([01]?[0-9]|2[0-4])[:.]([0-5]?[0-9])(?:[:.]([0-5]?[0-9]|60)(?:[.,:]([0-9]{1,9}))?)?',
    (reading, [hour, minute, second, part]) => {
      reading.setTime(Number(hour), Number(minute), Number(second ?? 0))
      reading.millisecond = fraction(part)
    },
  ),
  time('t([01][0-9]|2[0-4])([0-5][0-9])([0-5][0-9]|60)?', (reading, [hour, minute, second]) =>
    reading.setTime(Number(hour), Number(minute), Number(second ?? 0)),
  ),
  {
    // Four digits are a time first, and a year where there is a time already.
    pattern: '([01][0-9]|2[0-4])([0-5][0-9])',
    apply(reading, [hour, minute]) {
      if (reading.hasTime) reading.year = Number(`${hour}${minute}`)
      else reading.setTime(Number(hour), Number(minute))
    },
  },
  {
    pattern: '([0-9]{4})',
    apply(reading, [year]) {
      reading.year = Number(year)
    },
  },
  time(`back of ([01]?[0-9]|2[0-4])(?:${meridian})?`, (reading, [hour, letter]) =>
    reading.setTime(hourOf(hour, letter), 15),
  ),
  time(`front of ([01]?[0-9]|2[0-4])(?:${meridian})?`, (reading, [hour, letter]) =>
    reading.setTime(hourOf(hour, letter) - 1, 45),
  ),
  { pattern: 'noon', apply: (reading) => reading.setTime(12, 0) },
]
