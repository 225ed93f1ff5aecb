import { distance } from 'fastest-levenshtein'

/** Longer names are not compared: the time grows with the product of both lengths. */
const lengthMax = 64
/** Shorter names are part of too many others. */
const partLengthMin = 3
const suggestionsMax = 3

/**
 * Suggests corrections of a misspelt name: `Did you mean "customHtml"?` for `html`. Returns undefined without a similar
 * candidate. Only letters and digits are compared, and their case is ignored.
 */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > lengthMax) return undefined
  const text = simplify(name)
  if (text === '') return undefined
  const near = [...candidates]
    .map((candidate) => ({ candidate, cost: costOf(text, simplify(candidate)) }))
    .filter(({ cost }) => Number.isFinite(cost))
    .sort((one, other) => one.cost - other.cost)
    .slice(0, suggestionsMax)
  const [best] = near
  if (best === undefined) return undefined
  // A misspelling has one best correction; a part of several names may mean each of them.
  const meant = near.filter(({ cost }) => best.cost >= partCost || cost === best.cost)
  return `Did you mean ${meant.map(({ candidate }) => `"${candidate}"`).join(' or ')}?`
}

/** The lowest cost of a name that is part of another: more than any misspelling. */
const partCost = lengthMax

/** Returns the distance of a candidate; infinite for one that is not similar. */
function costOf(text: string, candidate: string): number {
  if (candidate === '' || candidate.length > lengthMax) return Number.POSITIVE_INFINITY
  const edits = editsBetween(text, candidate)
  if (edits <= Math.max(1, Math.floor(Math.max(text.length, candidate.length) / 3))) return edits
  const [short, long] = text.length < candidate.length ? [text, candidate] : [candidate, text]
  const isPart = short.length >= partLengthMin && long.includes(short)
  return isPart ? partCost + long.length - short.length : Number.POSITIVE_INFINITY
}

/** Counts the edits between two words. Two swapped letters are one edit. */
export function editsBetween(one: string, other: string): number {
  const edits = distance(one, other)
  if (edits !== 2 || one.length !== other.length) return edits
  const at = [...one].findIndex((letter, index) => letter !== other[index])
  return one[at] === other[at + 1] && one[at + 1] === other[at] ? 1 : edits
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}
