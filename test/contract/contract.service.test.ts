import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { onMailyard } from '../on-each-database.ts'
import { assignmentEndpoints, assignmentFields } from './assignments.ts'
import { authentication } from './authentication.ts'
import type { Chapter } from './chapter.ts'
import { errors } from './errors.ts'
import { openEnds, whatItDoes } from './service.ts'
import { templateEndpoints } from './template-endpoints.ts'
import { templateFields } from './template-fields.ts'
import { editRules, endpoints, transportEndpoints } from './transport-endpoints.ts'
import { states, transportFields } from './transport-fields.ts'

/** The contract, heading by heading. */
const chapters: Record<string, Chapter> = {
  ...whatItDoes,
  '### Transport': transportFields,
  '### Twig template': templateFields,
  '### Transport assignment (request shapes)': assignmentFields,
  '## States and transitions': states,
  '## Endpoints': endpoints,
  '### Transports': transportEndpoints,
  '### Assignments': assignmentEndpoints,
  '### Twig templates': templateEndpoints,
  '### Edit rules': editRules,
  '## Authentication': authentication,
  '## Errors': errors,
  ...openEnds,
}

onMailyard('the contract', { isOwn: true }, (shared) => {
  let baseUrl = ''
  before(async () => {
    baseUrl = await shared.service.listen()
  })
  for (const [heading, chapter] of Object.entries(chapters)) {
    describe(heading, () => {
      for (const [line, check] of Object.entries(chapter)) {
        if (typeof check === 'string') continue
        test(line, () => check({ ...shared, baseUrl }))
      }
    })
  }
})

const contractFile = new URL('contract.md', import.meta.url)

test('every line of the contract is quoted by a test, and no other', () => {
  const contract = readFileSync(contractFile, 'utf8')
  const promised = new Set(readLines(contract))
  const quoted = new Set(
    Object.entries(chapters).flatMap(([heading, chapter]) =>
      Object.keys(chapter).map((line) => `${heading}: ${line}`),
    ),
  )
  assert.deepEqual(
    [...promised].filter((line) => !quoted.has(line)),
    [],
    'lines without a test',
  )
  assert.deepEqual(
    [...quoted].filter((line) => !promised.has(line)),
    [],
    'tests of what the contract does not say',
  )
})

test('a heading that stands for the test of a line has tests', () => {
  const named = Object.values(chapters).flatMap((chapter) => Object.values(chapter))
  for (const heading of named) {
    if (typeof heading !== 'string') continue
    const checks = Object.values(chapters[heading] ?? {})
    assert.ok(
      checks.some((check) => typeof check === 'function'),
      heading,
    )
  }
})

/** The lines, each after its heading; without headings, table heads and blank lines. */
function readLines(text: string): string[] {
  let heading = ''
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    if (line.startsWith('#')) heading = line
    const isTableHead = /^\|-/.test(line) || /^\|-/.test(lines[index + 1] ?? '')
    if (line.startsWith('#') || line.trim() === '' || isTableHead) return []
    return [`${heading}: ${line}`]
  })
}
