export const monthNames: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')

/** From Sunday. */
export const dayNames: readonly string[] =
  'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** The month of an English name, short name or Roman numeral, from 1; undefined for anything else. */
export function findMonth(name: string): number | undefined {
  const wanted = name.toLowerCase().replace('.', '')
  const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii']
  if (roman.includes(wanted)) return roman.indexOf(wanted) + 1
  const index = findName(monthNames, wanted === 'sept' ? 'sep' : wanted)
  return index === undefined ? undefined : index + 1
}

/** The day of the week of an English name or short name, Sunday being 0; undefined for anything else. */
export function findWeekday(name: string): number | undefined {
  const wanted = name.toLowerCase().replace(/s$/, '').replace('.', '')
  return findName(dayNames, ['tue', 'wedne', 'thur'].includes(wanted) ? wanted.slice(0, 3) : wanted)
}

/** Finds a full name, or its first three letters. */
function findName(names: readonly string[], wanted: string): number | undefined {
  const index = names.findIndex((name) => {
    const full = name.toLowerCase()
    return full === wanted || full.slice(0, 3) === wanted
  })
  return index === -1 ? undefined : index
}
