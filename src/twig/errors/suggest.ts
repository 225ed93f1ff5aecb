import { distance } from 'fastest-levenshtein'

/** The longest text worth comparing; beyond it nobody meant another name. */
const comparableLength = 64

/**
 * Twig's " Did you mean …?" for a misspelt name, or nothing. A candidate is near when it differs by
 * at most a third of the name's letters, or contains the name.
 */
export function suggestion(name: string, candidates: Iterable<string>): string {
  if (name === '' || name.length > comparableLength) return ''
  const near: [string, number][] = []
  for (const candidate of new Set(candidates)) {
    const edits =
      candidate.length > comparableLength ? Number.POSITIVE_INFINITY : distance(name, candidate)
    if (edits <= name.length / 3 || candidate.includes(name)) near.push([candidate, edits])
  }
  if (near.length === 0) return ''
  near.sort((a, b) => a[1] - b[1])
  const names = near.slice(0, 8).map(([candidate]) => `"${candidate}"`)
  return ` Did you mean ${names.join(', ')}?`
}
