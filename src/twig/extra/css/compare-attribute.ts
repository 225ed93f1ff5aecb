import type { Meter } from '../../values/meter.ts'
import { findText } from '../../values/search.ts'

/** How `[name operator "wanted"]` compares (Selectors 4, section 6). */
export function compareAttribute(
  value: string,
  { operator, wanted, meter }: { operator: string; wanted: string; meter: Meter },
): boolean {
  switch (operator) {
    case '=':
      return value === wanted
    case '~=':
      return wanted !== '' && value.split(/\s+/).includes(wanted)
    case '|=':
      return value === wanted || value.startsWith(`${wanted}-`)
    case '^=':
      return wanted !== '' && value.startsWith(wanted)
    case '$=':
      return wanted !== '' && value.endsWith(wanted)
    default:
      return wanted !== '' && findText(value, wanted, 0, meter) !== -1
  }
}
