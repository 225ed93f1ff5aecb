import { findSign, splitAt } from './scan.ts'

/** What a block of CSS says of one property: its values, of which programs take the last they know. */
export interface Declaration {
  readonly name: string
  readonly values: readonly string[]
  readonly isImportant: boolean
}

/** What one block says of one property: so many values for programs that don't know the last. */
const valuesMax = 3

const important = /!\s*important\s*$/i

/** The declarations of a block, or of a `style` attribute, without comments. What is none is left out. */
export function parseDeclarations(block: string): Declaration[] {
  const found = new Map<string, Declaration>()
  for (const piece of splitAt(block, ';')) {
    const colon = findSign(piece, 0, ':')
    const name = propertyName(piece.slice(0, colon))
    const value = piece.slice(colon + 1).trim()
    if (name === '' || value === '') continue
    const isImportant = important.test(value)
    const before = found.get(name)
    if (before?.isImportant && !isImportant) continue
    const isMore = before !== undefined && before.isImportant === isImportant
    found.delete(name)
    found.set(name, {
      name,
      values: isMore ? [...before.values, value].slice(-valuesMax) : [value],
      isImportant,
    })
  }
  return [...found.values()]
}

function propertyName(text: string): string {
  const name = text.trim()
  if (!/^[-_a-zA-Z\\\x80-\uffff*][^\s]*$/.test(name)) return ''
  return name.startsWith('--') ? name : name.toLowerCase()
}
