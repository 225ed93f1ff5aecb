export const monthNames: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** From Sunday. */
export const dayNames: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
]

/** The month of an English name, short name or Roman numeral, from 1; undefined for anything else. */
export function findMonth(name: string): number | undefined {
  const wanted = name.toLowerCase().replace('.', '')
  const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii']
  if (roman.includes(wanted)) return roman.indexOf(wanted) + 1
  if (wanted === 'sept') return 9
  return findName(monthNames, wanted, 3)
}

/** The day of the week of an English name or short name, Sunday being 0; undefined for anything else. */
export function findWeekday(name: string): number | undefined {
  const wanted = name.toLowerCase().replace(/s$/, '').replace('.', '')
  const longer: Record<string, number> = { tue: 2, wedne: 3, thur: 4, wed: 3, thu: 4 }
  return findName(dayNames, wanted, 3) ?? longer[wanted]
}

function findName(names: readonly string[], wanted: string, shortest: number): number | undefined {
  const index = names.findIndex((name) => {
    const full = name.toLowerCase()
    return full === wanted || full.slice(0, shortest) === wanted
  })
  if (index === -1) return undefined
  return names === monthNames ? index + 1 : index
}
