/** What can be completed at a place: from where in the text, and for a property, of which variable. */
export type CompletionPlace =
  | { kind: 'tag' | 'filter' | 'test' | 'template' | 'expression'; from: number }
  | { kind: 'property'; from: number; path: string }

/** Templates are named in these: `{% include "…" %}`, `{{ include("…") }}`. */
const namesTemplate =
  /^[-~]?\s*(?:include|extends|embed|import|from|use)\b|\b(?:include|source)\s*\(\s*\[?\s*(?:["'][^"']*["']\s*,\s*)*$/
const isTagName = /^[-~]?\s*\w*$/
const isFilterName = /\|\s*\w*$|^[-~]?\s*apply\s+\w*$/
const isTestName = /\bis\s+(?:not\s+)?\w*$/
const propertyOf = /(?:^|[^\w.\]])([A-Za-z_]\w*(?:\.\w+|\[\d*\])*)\.\w*$/

/**
 * Finds what can be completed at the end of a text. It reads the text itself, because the syntax tree has no Twig, only
 * Jinja, and no tree is complete while people type.
 */
export function findPlace(before: string): CompletionPlace | undefined {
  const start = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'))
  const end = Math.max(before.lastIndexOf('}}'), before.lastIndexOf('%}'))
  if (start === -1 || start < end) return undefined
  if (before.lastIndexOf('{#') > before.lastIndexOf('#}')) return undefined
  const code = before.slice(start + 2)
  const from = before.length - (/\w*$/.exec(before)?.[0].length ?? 0)
  const quote = findOpenQuote(code)
  if (quote !== undefined) {
    const isName = namesTemplate.test(code.slice(0, quote))
    return isName ? { kind: 'template', from: start + 2 + quote + 1 } : undefined
  }
  if (before[start + 1] === '%' && isTagName.test(code)) return { kind: 'tag', from }
  if (isFilterName.test(code)) return { kind: 'filter', from }
  if (isTestName.test(code)) return { kind: 'test', from }
  const path = propertyOf.exec(code)?.[1]
  if (path !== undefined) return { kind: 'property', from, path }
  return /(?:^|[^\w.])\d\w*$|\.\w*$/.test(code) ? undefined : { kind: 'expression', from }
}

/** Where the string begins that the code ends in. */
function findOpenQuote(code: string): number | undefined {
  let open: number | undefined
  for (let index = 0; index < code.length; index++) {
    const character = code[index]
    if (open === undefined) {
      if (character === '"' || character === "'") open = index
    } else if (character === '\\') index += 1
    else if (character === code[open]) open = undefined
  }
  return open
}

/** The properties of a variable that are known by the paths of others: `order.items[].price`. */
export function propertiesOf(path: string, paths: Iterable<string>): string[] {
  const prefix = `${path.replaceAll(/\[\d*\]/g, '[]')}.`
  const names = new Set<string>()
  for (const each of paths) {
    if (!each.startsWith(prefix)) continue
    const [name = ''] = each.slice(prefix.length).split(/[.[]/, 1)
    if (name !== '') names.add(name)
  }
  return [...names].sort()
}

/** What the variable of a loop stands for: `item.price` in `{% for item in order.items %}` is `order.items[].price`. */
export function resolveLoop(path: string, before: string): string {
  const [root = '', ...rest] = path.split('.')
  const loops = before.matchAll(/\{%[-~]?\s*for\s+(?:\w+\s*,\s*)?(\w+)\s+in\s+([\w.]+)/g)
  const list = [...loops].findLast(([, name]) => name === root)?.[2]
  return list === undefined ? path : [`${list}[]`, ...rest].join('.')
}

/** The paths of the values in a JSON document, as `lint` writes them: `order.items[].price`. */
export function pathsOfJson(value: unknown, path = '', depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > 5) return path === '' ? [] : [path]
  if (Array.isArray(value)) return pathsOfJson(value[0], `${path}[]`, depth + 1)
  const within = Object.entries(value).flatMap(([name, each]) =>
    pathsOfJson(each, path === '' ? name : `${path}.${name}`, depth + 1),
  )
  return path === '' ? within : [path, ...within]
}
