import type { Render } from '../../runtime/render.ts'
import { kept } from '../kept.ts'
import { type Declaration, parseDeclarations } from './parse-declarations.ts'
import { parseSelector } from './parse-selector.ts'
import { findSign, splitAt, withoutComments } from './scan.ts'
import type { Selector } from './selector.ts'

/** A selector and what it says of the elements that it holds for. */
export interface StyleRule {
  readonly selector: Selector
  readonly declarations: readonly Declaration[]
  /** Characters of its block. */
  readonly size: number
}

/** A style sheet, parted in what can stand in `style` attributes and what cannot. */
export interface StyleSheet {
  readonly rules: readonly StyleRule[]
  /** CSS that must stay a style sheet: `@media` and the like, `:hover`, what nobody understands. */
  readonly rest: string
}

/** Reading a style sheet takes about so many steps and bytes a character. */
const stepsACharacter = 2
const bytesACharacter = 10

/** A style sheet in its parts. Emails have the same one again and again, so it is kept for a while. */
export function readStyleSheet(css: string, render: Render): StyleSheet {
  render.budget.spend(css.length * stepsACharacter)
  render.budget.allocate(css.length * bytesACharacter)
  return kept(render, `css ${css}`, () => parseStyleSheet(css))
}

/** Parts a style sheet (CSS Syntax 3, section 5.4, as far as style sheets of emails go). */
function parseStyleSheet(css: string): StyleSheet {
  const text = withoutComments(css).replace(/<!--|-->/g, '')
  const rules: StyleRule[] = []
  const rest: string[] = []
  for (let at = 0; at < text.length; ) {
    const start = text.slice(at).search(/\S/)
    if (start === -1) break
    at += start
    const end = text[at] === '@' ? endOfAtRule(text, at) : endOfRule(text, at)
    const rule = text.slice(at, end)
    if (text[at] === '@') rest.push(rule.trim())
    else rest.push(...addRule(rule, rules))
    at = end
  }
  // CSS that is given as data must not end the element that it is put into.
  return { rules, rest: rest.join('\n').replaceAll('</', '<\\/') }
}

function endOfAtRule(text: string, at: number): number {
  const end = findSign(text, at, ';{')
  return text[end] === '{' ? findSign(text, end + 1, '}') + 1 : end + 1
}

function endOfRule(text: string, at: number): number {
  return findSign(text, findSign(text, at, '{') + 1, '}') + 1
}

/** Adds what can be inlined of a rule; gives what cannot. */
function addRule(rule: string, rules: StyleRule[]): string[] {
  const open = findSign(rule, 0, '{')
  const block = rule.slice(open + 1).replace(/\}$/, '')
  if (open === rule.length) return []
  // Rules in rules are for programs that know them.
  if (findSign(block, 0, '{') < block.length) return [rule.trim()]
  const declarations = parseDeclarations(block)
  const left: string[] = []
  for (const text of splitAt(rule.slice(0, open), ',')) {
    const selector = parseSelector(text)
    if (selector === undefined) left.push(text.trim())
    else if (declarations.length > 0) {
      rules.push({ selector, declarations, size: block.length })
    }
  }
  return left.length === 0 ? [] : [`${left.join(', ')} {${block}}`]
}
