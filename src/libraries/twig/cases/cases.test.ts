import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createTwig } from '../create-twig.ts'
import type { TwigOptions } from '../options.ts'

const folder = new URL('.', import.meta.url)

/**
 * One case of a `.cases` file. `=== title` is followed by the template `main`. Sections:
 * `--- template name`, `--- data` (JSON), `--- options` (JSON), and then `--- gives` with the
 * output or `--- fails` with the error message. Both are what PHP's Twig gives for the same template,
 * except for what only this engine has.
 */
interface Case {
  title: string
  templates: Map<string, string>
  data: Record<string, unknown>
  options: TwigOptions
  gives?: string
  fails?: string
}

/** Callables that share the cases of another one. */
const otherNames: Record<string, string> = {
  e: 'escape',
  format_decimal_number: 'format-number',
  format_currency_number: 'format-number',
  format_percent_number: 'format-number',
  format_scientific_number: 'format-number',
  format_spellout_number: 'format-number',
  format_ordinal_number: 'format-number',
  format_duration_number: 'format-number',
}

function readCases(path: string): Case[] {
  const text = readFileSync(new URL(path, folder), 'utf8').replace(/^=== /, '').replace(/\n$/, '')
  return text.split('\n\n=== ').map((one) => {
    const [start = '', ...sections] = one.split('\n--- ')
    const [title = '', main = ''] = splitOnce(start)
    const read: Case = { title, templates: new Map([['main', main]]), data: {}, options: {} }
    for (const [heading = '', body = ''] of sections.map(splitOnce)) {
      if (heading.startsWith('template ')) read.templates.set(heading.slice(9), body)
      else if (heading === 'data') read.data = JSON.parse(body)
      else if (heading === 'options') read.options = readOptions(JSON.parse(body))
      else if (heading === 'gives') read.gives = body
      else if (heading === 'fails') read.fails = body
      else throw new Error(`${path}: "--- ${heading}" has no meaning.`)
    }
    return read
  })
}

/**
 * Reads the JSON options: `now` is a string, and `random` is the number that the generator always
 * returns.
 */
function readOptions(json: Record<string, unknown>): TwigOptions {
  const { now, random, ...others } = json
  return {
    ...others,
    ...(typeof now === 'string' && { now: new Date(now) }),
    ...(typeof random === 'number' && { random: () => random }),
  }
}

function splitOnce(text: string): [string, string] {
  const end = text.indexOf('\n')
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)]
}

function run({ templates, data, options }: Case): { gives: string } | { fails: string } {
  try {
    // A busy machine needs long to load all time zones; what limits do is tested elsewhere.
    const limits = { timeMs: 10_000, ...options.limits }
    return { gives: createTwig({ ...options, limits, loader: templates }).render('main', data) }
  } catch (error) {
    return { fails: (error as Error).message }
  }
}

const files = globSync('*/*/*.cases', { cwd: folder }).sort()
const suite = files.map((path) => ({ path, cases: readCases(path) }))

for (const { path, cases } of suite) {
  test(`Twig's ${path.split('/').slice(0, 2).join(', ')}`, () => {
    for (const one of cases) {
      const { gives, fails } = one
      assert.ok((gives === undefined) !== (fails === undefined), `${one.title}: gives or fails`)
      assert.deepEqual(run(one), gives === undefined ? { fails } : { gives }, one.title)
    }
  })
}

test('every tag, filter, function and test has cases', () => {
  const folders = new Set(files.map((path) => path.split('/').slice(0, 2).join('/')))
  const wanted = createTwig()
    .catalogue()
    .map(({ kind, name }) => `${kind}s/${otherNames[name] ?? name.replaceAll(/[ _]/g, '-')}`)
  assert.deepEqual(
    wanted.filter((name) => !folders.has(name)),
    [],
  )
})
