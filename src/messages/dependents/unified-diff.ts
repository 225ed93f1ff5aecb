import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff'

const context = 3
/** The time of a comparison grows with its square. Above it, the diff replaces all lines that differ. */
const editsMax = 300
/** The length of the compared part of a text. */
const comparedMax = 200_000
/** A longer diff is cut at the end of a line. */
const lengthMax = 100_000
const fileNames = ['before', 'after'] as const

/**
 * Formats the difference of two texts as a unified diff; empty if they are the same. It takes some tenths of a second at
 * most: only the first 200,000 characters are compared.
 */
export function unifiedDiff(beforeAll: string, afterAll: string): string {
  const [before, after] = [beforeAll.slice(0, comparedMax), afterAll.slice(0, comparedMax)]
  if (before === after) return ''
  const options = { context, maxEditLength: editsMax }
  const patch =
    structuredPatch(...fileNames, before, after, undefined, undefined, options) ??
    replacement(before, after)
  const diff = formatPatch(patch, FILE_HEADERS_ONLY)
  return diff.length <= lengthMax ? diff : diff.slice(0, diff.lastIndexOf('\n', lengthMax) + 1)
}

/** Returns what each change of a unified diff removes and adds, without the beginnings and ends that stay the same. */
export function changesIn(diff: string): { removed: string; added: string }[] {
  const changes: { '-': string[]; '+': string[] }[] = []
  let isInside = false
  // The first two lines name the files; one with a backslash says that a text does not end with a line break.
  for (const line of diff.split('\n').slice(2)) {
    if (line.startsWith('\\')) continue
    const sign = line[0]
    const isChanged = sign === '-' || sign === '+'
    if (isChanged && !isInside) changes.push({ '-': [], '+': [] })
    if (isChanged) changes.at(-1)?.[sign].push(line.slice(1))
    isInside = isChanged
  }
  return changes.map((change) => {
    const { removed, added } = withoutCommonEnds(change['-'].join('\n'), change['+'].join('\n'))
    return { removed, added }
  })
}

/** Replaces all lines between the common first and the common last lines. */
function replacement(before: string, after: string): StructuredPatch {
  const { start, removed, added } = withoutCommonEnds(before.split('\n'), after.split('\n'))
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
  const range = {
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
  }
  const [oldFileName, newFileName] = fileNames
  const headers = { oldHeader: undefined, newHeader: undefined }
  return { oldFileName, newFileName, ...headers, hunks: [{ ...range, lines }] }
}

/** Returns what stands between the common beginning and the common end of two texts or lists, and where it starts. */
export function withoutCommonEnds<Sequence extends string | string[]>(
  before: Sequence,
  after: Sequence,
): { start: number; removed: Sequence; added: Sequence } {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const cut = (all: Sequence) => all.slice(start, all.length - end) as Sequence
  return { start, removed: cut(before), added: cut(after) }
}
