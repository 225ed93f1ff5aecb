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
    const distance = levenshtein(name, candidate)
    if (distance <= name.length / 3 || candidate.includes(name)) near.push([candidate, distance])
  }
  if (near.length === 0) return ''
  near.sort((a, b) => a[1] - b[1])
  const names = near.slice(0, 8).map(([candidate]) => `"${candidate}"`)
  return ` Did you mean ${names.join(', ')}?`
}

function levenshtein(a: string, b: string): number {
  if (b.length > comparableLength) return Number.POSITIVE_INFINITY
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
