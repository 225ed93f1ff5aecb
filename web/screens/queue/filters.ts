const names = [
  'recipient',
  'sender',
  'state',
  'lane',
  'transportId',
  'transport',
  'mautic',
] as const

/** The filters of the list, as they are in the address. */
export type QueueFilters = Partial<Record<(typeof names)[number], string>>

export function readQueueFilters(
  query: Readonly<Record<string, string | undefined>>,
): QueueFilters {
  const given = names.flatMap((name) => {
    const value = query[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  return Object.fromEntries(given)
}
