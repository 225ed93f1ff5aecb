import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createTwig, TwigError } from '../../src/libraries/twig/index.ts'

const path = new URL('../../../shared/reference/twig-cases.json', import.meta.url)

type Coded = null | boolean | number | string | { m: [string, Coded][] } | { l: Coded[] }

interface Case {
  file: string
  n: number
  templates: [name: string, source: string][]
  data: Coded
  config: { m: [string, Coded][] }
  expect?: string
  exception?: string
}

function decode(coded: Coded): unknown {
  if (coded === null || typeof coded !== 'object') return coded
  if ('l' in coded) return coded.l.map(decode)
  return new Map(coded.m.map(([key, value]) => [key, decode(value)]))
}

function run({ templates, data, config }: Case): string {
  const settings = new Map(config.m)
  const twig = createTwig({
    loader: new Map(templates),
    strictVariables: settings.get('strict_variables') === true,
    autoescape: (settings.get('autoescape') ?? 'html') as 'html' | 'name' | false,
    debug: settings.get('debug') === true,
    globals: { global: 'global' },
    sandbox: { functions: ['dump'] },
  })
  const context = decode(data)
  return twig.render(templates[0]?.[0] ?? '', context instanceof Map ? context : new Map())
}

/** Matches PHPUnit's formats: `%s` is any text within a line. */
function matchesFormat(actual: string, format: string): boolean {
  const escaped = format.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%s', '.+?')
  return new RegExp(`^${escaped}\\.?$`).test(actual)
}

const cases: Case[] = JSON.parse(readFileSync(path, 'utf8')).cases

test('every output of the reference suite matches', () => {
  const wrong: string[] = []
  for (const one of cases.filter(({ expect }) => expect !== undefined)) {
    let actual: string
    try {
      actual = run(one).trim()
    } catch (error) {
      actual = String(error)
    }
    if (actual !== one.expect?.trim()) {
      wrong.push(`${one.file} ${one.n}\n--- wanted\n${one.expect}\n--- got\n${actual}`)
    }
  }
  assert.equal(wrong.length, 0, wrong.join('\n\n'))
})

test('every error of the reference suite has the same line and message', () => {
  const wrongLine: string[] = []
  const otherWords: string[] = []
  for (const one of cases.filter(({ exception }) => exception !== undefined)) {
    const wanted = (one.exception ?? '').replace(/^[\w\\]+: /, '')
    try {
      wrongLine.push(`${one.file}: no error, but ${run(one)}`)
    } catch (error) {
      assert(error instanceof TwigError, `${one.file}: ${String(error)}`)
      const line = /at line (\d+)\.?\??$/.exec(wanted)?.[1]
      const difference = `${one.file} ${one.n}\n  wanted ${wanted}\n  got    ${error.message}`
      if (String(error.line) !== line) wrongLine.push(difference)
      else if (!matchesFormat(error.message, wanted)) otherWords.push(difference)
    }
  }
  assert.deepEqual(wrongLine, [])
  assert(otherWords.length === 0, otherWords.join('\n'))
})
