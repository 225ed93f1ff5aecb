import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Operation {
  parameters?: { in: string; name: string }[]
}
const { paths } = JSON.parse(read('docs/openapi.json')) as {
  paths: Record<string, Record<string, Operation>>
}

/** A request of an example: `api "path?query" -X METHOD -d BODY`. */
const request = /\bapi (?:"([^"]+)"|([\w/-]+\?\S+))([^\n]*)/g

/** Returns the query parameters of an operation; undefined where there is none. */
function parametersOf(method: string, path: string): string[] | undefined {
  // A path without parameters comes before one that may be the same.
  const templates = Object.keys(paths).toSorted(
    (one, other) => one.split('{').length - other.split('{').length,
  )
  for (const template of templates) {
    const pattern = template.replaceAll(/\{\w+\}/g, '[^/]+')
    const operation = paths[template]?.[method.toLowerCase()]
    if (operation === undefined || !new RegExp(`^${pattern}$`).test(path)) continue
    return operation.parameters?.flatMap((each) => (each.in === 'query' ? each.name : [])) ?? []
  }
  return undefined
}

for (const page of globSync(['README.md', 'docs/**/*.md'], { cwd: root }).toSorted())
  test(`${page}: the API has every query parameter of the examples`, () => {
    for (const [example, quoted, bare, options = ''] of read(page)
      .replaceAll('\\\n', '')
      .matchAll(request)) {
      const [path = '', query = ''] = (quoted ?? bare ?? '').split('?')
      const method =
        /-X (\w+)/.exec(options)?.[1] ?? (/ (?:-d|--data-binary) /.test(options) ? 'POST' : 'GET')
      const known = parametersOf(method, `/api/${path}`)
      assert.ok(known !== undefined, example)
      for (const parameter of query.split('&').filter((each) => each !== '')) {
        const [name = ''] = parameter.split(/[[=]/)
        // Conditions are documented as a whole.
        assert.ok(known.includes(name) || name === 'where', `${name} in: ${example}`)
      }
    }
  })
