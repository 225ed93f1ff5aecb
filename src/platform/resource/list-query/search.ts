import { normalizeForSearch } from '../../../kit/normalize-for-search.ts'
import type { Filter } from '../../storage/index.ts'
import { filterTooLarge } from './filter-size.ts'
import type { ListFields } from './where.ts'

type Token =
  | { kind: 'word'; text: string; isQuoted: boolean }
  | { kind: 'sign'; sign: '!' | '+' | '(' | ')' }

/** More words, signs and brackets together than any search has. */
const tokensMax = 1_000

/** Deeper signs and brackets are ignored. */
const depthMax = 50

/**
 * Reads a search as Mautic does: words and "quoted words" that must all be found, `or` between groups,
 * `!` for text that must not be found, `+` for an exact name, brackets, and the commands `ids:1,2`,
 * `is:published`, `is:unpublished` (if the entries can be), `is:mine`, `<field>:<text>` and `tag:<text>`. Anything else is just text.
 */
export function parseSearch(text: string, fields: ListFields): Filter {
  const tokens = tokenize(text.trim())
  let at = 0
  let depth = 0

  const readOr = (): Filter => {
    const groups = [readAnd()]
    while (isWord(tokens[at], 'or')) {
      at += 1
      groups.push(readAnd())
    }
    const meant = groups.filter((group) => group.op !== 'and' || group.of.length > 0)
    return meant.length === 1 && meant[0] !== undefined
      ? meant[0]
      : { op: meant.length === 0 ? 'and' : 'or', of: meant }
  }
  const readAnd = (): Filter => {
    const terms: Filter[] = []
    while (at < tokens.length && !isWord(tokens[at], 'or') && !isSign(tokens[at], ')')) {
      const term = readTerm()
      if (term !== undefined) terms.push(term)
    }
    return { op: 'and', of: terms }
  }
  const readTerm = (): Filter | undefined => {
    const token = tokens[at]
    at += 1
    if (token === undefined || depth > depthMax) return undefined
    if (token.kind === 'word') return readWord(token.text, token.isQuoted, fields)
    depth += 1
    const next = token.sign === '(' ? readOr() : readTerm()
    depth -= 1
    if (token.sign === '(') {
      if (isSign(tokens[at], ')')) at += 1
      return next
    }
    if (next === undefined || token.sign === ')') return next
    if (token.sign === '!') return { op: 'not', of: next }
    return next.op === 'text' ? { op: 'name', text: next.text } : next
  }

  const filters: Filter[] = []
  while (at < tokens.length) {
    filters.push(readOr())
    // A closing bracket without an opening one.
    if (isSign(tokens[at], ')')) at += 1
  }
  return filters.length === 1 && filters[0] !== undefined ? filters[0] : { op: 'and', of: filters }
}

function readWord(text: string, isQuoted: boolean, fields: ListFields): Filter | undefined {
  if (text === '') return undefined
  const colon = text.indexOf(':')
  if (colon < 1 || isQuoted) return { op: 'text', text: normalizeForSearch(text) }
  const command = text.slice(0, colon)
  const value = text.slice(colon + 1)
  return (
    readCommand(command.toLowerCase(), value, fields) ??
    readFieldCommand(command, value, fields) ?? { op: 'text', text: normalizeForSearch(text) }
  )
}

function readCommand(command: string, value: string, fields: ListFields): Filter | undefined {
  if (command === 'ids' && /^\d+(,\d+)*$/.test(value)) {
    return { op: 'ids', ids: value.split(',').map(Number).filter(Number.isSafeInteger) }
  }
  if (command !== 'is') return undefined
  const state = value.toLowerCase()
  if (state === 'mine') return { op: 'mine' }
  if (!hasPublished(fields) || !/^(un)?published$/.test(state)) return undefined
  return { op: 'eq', field: 'isPublished', value: state === 'published' }
}

/** Whether the entries of a list may be unpublished: suppressions may not. */
export function hasPublished(fields: ListFields): boolean {
  return Object.hasOwn(fields, 'isPublished')
}

function readFieldCommand(field: string, value: string, fields: ListFields): Filter | undefined {
  const list = `${field}s`
  if (Object.hasOwn(fields, list) && fields[list]?.isList) return { op: 'has', field: list, value }
  if (!Object.hasOwn(fields, field) || fields[field]?.type !== 'text') return undefined
  const pattern = `%${value.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
  return { op: 'like', field, value: pattern }
}

/** Splits the text into words and signs. A quoted part may follow a command: `name:"two words"`. */
function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at)
    if (/\s/.test(character)) at += 1
    else if (isSignCharacter(character)) {
      tokens.push({ kind: 'sign', sign: character })
      at += 1
    } else {
      const end = endOfWord(text, at)
      const word = text.slice(at, end)
      tokens.push({ kind: 'word', text: word.replaceAll('"', ''), isQuoted: word.startsWith('"') })
      at = end
    }
    if (tokens.length > tokensMax) throw filterTooLarge(`more than ${tokensMax} words and signs`)
  }
  return tokens
}

function isSignCharacter(character: string): character is '!' | '+' | '(' | ')' {
  return '!+()'.includes(character)
}

/** Finds the end of a word: a blank or bracket, or the closing quotation mark of a word that is quoted from its start or after a colon. */
function endOfWord(text: string, start: number): number {
  let at = start
  while (at < text.length && !/[\s()"]/.test(text.charAt(at))) at += 1
  const isQuoted = text.charAt(at) === '"' && (at === start || text.charAt(at - 1) === ':')
  if (isQuoted) {
    const end = text.indexOf('"', at + 1)
    return end === -1 ? text.length : end + 1
  }
  while (at < text.length && !/[\s()]/.test(text.charAt(at))) at += 1
  return at
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && !token.isQuoted && token.text.toLowerCase() === text
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token?.kind === 'sign' && token.sign === sign
}
