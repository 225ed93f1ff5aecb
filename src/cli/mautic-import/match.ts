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
  theirs: readonly Named[],
  ours: readonly Named[],
): ReadonlyMap<number, Match> {
  const found = new Map<number, Match>()
  const taken = new Set<number>()
  for (const isSame of [true, false])
    for (const each of theirs) {
      if (found.has(each.id)) continue
      const match = ours.find(
        (our) =>
          !taken.has(our.id) &&
          nameKey(our.name) === nameKey(each.name) &&
          (our.content === each.content || !isSame),
      )
      if (match === undefined) continue
      taken.add(match.id)
      found.set(each.id, { id: match.id, isSame })
    }
  return found
}
