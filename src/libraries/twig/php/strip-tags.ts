import type { Budget } from '../budget.ts'

/** The memory that the pieces of text around a tag take. */
const bytesPerTag = 64

/**
 * PHP's `strip_tags`: removes tags, comments and `<? ?>`, except tags whose lower-case names are
 * allowed. A `<` before whitespace is not a tag.
 */
export function stripTags(text: string, allowed: ReadonlySet<string>, budget: Budget): string {
  let kept = ''
  let position = 0
  while (position < text.length) {
    const start = text.indexOf('<', position)
    if (start === -1) return kept + text.slice(position)
    budget.spend(2)
    budget.allocate(bytesPerTag)
    kept += text.slice(position, start)
    if (/\s/.test(text.charAt(start + 1))) {
      kept += '<'
      position = start + 1
      continue
    }
    const end = endOfTag(text, start)
    const tag = text.slice(start, end)
    if (allowed.has(tagName(tag))) kept += tag
    position = end
  }
  return kept
}

function endOfTag(text: string, start: number): number {
  if (text.startsWith('<!--', start)) return behind(text, '-->', start + 4)
  if (text.startsWith('<?', start)) return behind(text, '?>', start + 2)
  let quote = ''
  let depth = 0
  for (let i = start + 1; i < text.length; i++) {
    const character = text.charAt(i)
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if (character === '<') depth++
    else if (character === '>' && depth-- === 0) return i + 1
  }
  return text.length
}

function behind(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from)
  return end === -1 ? text.length : end + mark.length
}

function tagName(tag: string): string {
  return (/^<\/?\s*([a-zA-Z0-9:!-]+)/.exec(tag)?.[1] ?? '').toLowerCase()
}
