import { createTwoFilesPatch, diffWordsWithSpace, FILE_HEADERS_ONLY } from 'diff'

/** The time of a comparison grows with its square. Above it, the diff replaces all lines. */
const maxEditLength = 300
/** The length of the compared part of a text. */
const comparedMax = 200_000
/** A longer diff is cut at the end of a line. */
const lengthMax = 100_000

/**
 * Formats the difference of two texts as a unified diff; empty if they are the same. It takes some tenths of a second at
 * most: only the first 200,000 characters are compared.
 */
export function unifiedDiff(beforeAll: string, afterAll: string): string {
  const [before, after] = [beforeAll.slice(0, comparedMax), afterAll.slice(0, comparedMax)]
  if (before === after) return ''
  const options = { context: 3, maxEditLength, headerOptions: FILE_HEADERS_ONLY }
  const diff =
    createTwoFilesPatch('before', 'after', before, after, undefined, undefined, options) ??
    replacement(before, after)
  return diff.length <= lengthMax ? diff : diff.slice(0, diff.lastIndexOf('\n', lengthMax) + 1)
}

/** Returns the words that a change removes and adds, whatever stands around them; undefined if there are too many. */
export function changedWords(before: string, after: string): string | undefined {
  const [old, now] = [before.slice(0, comparedMax), after.slice(0, comparedMax)]
  const changes = diffWordsWithSpace(old, now, { maxEditLength })
    ?.filter(({ added, removed }) => added || removed)
    .map(({ added, value }) => `${added ? '+' : '-'}${value}`)
  return changes?.join('\n')
}

/** Replaces all lines. */
function replacement(before: string, after: string): string {
  const [removed, added] = [linesOf(before), linesOf(after)]
  return [
    `--- before\n+++ after\n@@ -1,${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    '',
  ].join('\n')
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}
