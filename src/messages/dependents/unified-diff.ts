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
  return cut(formatPatch(patch, FILE_HEADERS_ONLY))
}

/** Replaces all lines between the common first and the common last lines. */
function replacement(before: string, after: string): StructuredPatch {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const lines = [
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
  ]
  const range = {
    oldStart: start + 1,
    oldLines: old.length - start - end,
    newStart: start + 1,
    newLines: now.length - start - end,
  }
  const [oldFileName, newFileName] = fileNames
  const headers = { oldHeader: undefined, newHeader: undefined }
  return { oldFileName, newFileName, ...headers, hunks: [{ ...range, lines }] }
}

function cut(diff: string): string {
  if (diff.length <= lengthMax) return diff
  return diff.slice(0, diff.lastIndexOf('\n', lengthMax) + 1)
}
