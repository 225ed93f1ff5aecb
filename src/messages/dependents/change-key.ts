import { createHash, type Hash } from 'node:crypto'

/**
 * Returns a key of a change: two outputs that change in the same way have the same key, whatever stands around the change. It is
 * a hash of what a unified diff removes and adds, without the beginnings and ends of lines that stay the same; or of the error
 * that there is afterwards.
 */
export function changeKey(diff: string, error: string | null): string {
  const hash = createHash('sha256')
  if (error !== null) return keyOf(hash.update(error))
  let [removed, added]: [string[], string[]] = [[], []]
  const close = () => {
    if (removed.length + added.length === 0) return
    hash.update(JSON.stringify(withoutCommonEnds(removed.join('\n'), added.join('\n'))))
    removed = []
    added = []
  }
  // The first two lines name the files.
  for (const line of diff.split('\n').slice(2)) {
    if (line.startsWith('-')) removed.push(line.slice(1))
    else if (line.startsWith('+')) added.push(line.slice(1))
    else if (!line.startsWith('\\')) close()
  }
  close()
  return keyOf(hash)
}

function keyOf(hash: Hash): string {
  return hash.digest('base64url').slice(0, 16)
}

function withoutCommonEnds(before: string, after: string): [string, string] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)]
}
