import { nameKey } from '../../kit/normalize-for-search.ts'

/** A transport or template, as far as it is compared. */
export interface Named {
  id: number
  name: string
  /** The DSN or the code. */
  content: string
}

/** A record here that has the name of one of Mautic's. */
export interface Match {
  id: number
  isSame: boolean
}

/**
 * Finds the record here for each of Mautic's: first one with the same name and content, then one with the same name. A
 * record here stands for one of Mautic's only, so that two of the same name stay two.
 */
export function matchByName(
  mauticRecords: readonly Named[],
  localRecords: readonly Named[],
): ReadonlyMap<number, Match> {
  const matches = new Map<number, Match>()
  const matchedIds = new Set<number>()
  for (const isSame of [true, false])
    for (const each of mauticRecords) {
      if (matches.has(each.id)) continue
      const match = localRecords.find(
        (our) =>
          !matchedIds.has(our.id) &&
          nameKey(our.name) === nameKey(each.name) &&
          (our.content === each.content || !isSame),
      )
      if (match === undefined) continue
      matchedIds.add(match.id)
      matches.set(each.id, { id: match.id, isSame })
    }
  return matches
}
