export const monthNames: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')

/** From Sunday. */
export const dayNames: readonly string[] =
  'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const romanMonths = 'i ii iii iv v vi vii viii ix x xi xii'.split(' ')

/** The number of a month that is given as a number, an English name, a short name or a Roman numeral. */
export function monthNumber(text = ''): number {
  if (/^[0-9]/.test(text)) return Number(text)
  const wanted = text.toLowerCase()
  const index = romanMonths.indexOf(wanted)
  return 1 + (index === -1 ? (findName(monthNames, wanted.slice(0, 3)) ?? 0) : index)
}

/** The day of the week of an English name or short name, Sunday being 0; undefined for anything else. */
export function findWeekday(name: string): number | undefined {
  const wanted = name.toLowerCase().replace(/s$/, '')
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
