import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { addEmail, addTransport } from '../callers.ts'
import { openTestApp, type TestApp } from '../test-app.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The command is in Debian's package `prometheus`. */
const promtool = process.env['PROMTOOL'] ?? 'promtool'
const isInstalled = spawnSync(promtool, ['--version']).error === undefined
const skip = isInstalled ? false : 'promtool is not installed'

const dashboard = JSON.parse(read('ops/grafana-dashboard.json')) as {
  panels: { targets?: { expr: string }[] }[]
}
const targets = dashboard.panels.flatMap(({ targets = [] }) => targets)

/** The series that a text names; those of a histogram by the name of the histogram. */
function namesIn(text: string): Set<string> {
  const found = text.matchAll(/\b(?:mailyard|process|nodejs)_[a-z0-9_]+/g)
  return new Set([...found].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, '')))
}

/** The labels of our series, by name, as the documentation lists them. */
function documentedLabels(): Map<string, string[]> {
  const rows = read('docs/metrics.md').matchAll(/^\| `(mailyard_\w+)` \| ([^|]*)\|/gm)
  const namesOf = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)
  return new Map([...rows].map(([, name = '', cell = '']) => [name, namesOf(cell)]))
}

/** What Prometheus and histograms add. */
const addedLabels = ['job', 'instance', 'le']

/** The labels that an expression selects or groups by, and that none of its series has. */
function unknownLabels(expr: string, labels: ReadonlyMap<string, readonly string[]>): string[] {
  const known = new Set([...namesIn(expr)].flatMap((name) => labels.get(name) ?? []))
  const selected = [...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label)
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(', '),
  )
  return [...selected, ...grouped].filter(
    (label) => !known.has(label) && !addedLabels.includes(label),
  )
}

describe('the metrics of a running app', () => {
  let service: TestApp
  let text: string
  let exported: Set<string>

  before(async () => {
    service = await openTestApp()
    const { id: transportId } = await addTransport(service)
    const { id } = await addEmail(service, { plainText: 'Hello' })
    await service.ask('POST', `/api/multipleTransport/transportEmail/${id}`, { transportId })
    const { body } = await service.ask('POST', '/api/contacts/new', { email: 'ann@example.com' })
    await service.ask('POST', `/api/emails/${id}/contact/${body.contact.id}/send`, {})
    text = (await service.ask('GET', '/metrics')).text
    exported = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
  })
  after(() => service.close())

  for (const file of ['ops/grafana-dashboard.json', 'ops/prometheus-rules.yml'])
    test(`have every series that ${file} uses`, () => {
      const used = namesIn(read(file))
      assert.ok(used.size > 8)
      const unexportedUsed = [...used].filter((name) => !exported.has(name))
      assert.deepEqual(unexportedUsed, [])
    })

  test('are documented, and every documented series exists', () => {
    const documented = namesIn(read('docs/metrics.md'))
    const own = [...exported].filter((name) => name.startsWith('mailyard_'))
    const undocumented = own.filter((name) => !documented.has(name))
    assert.deepEqual(undocumented, [])
    const listed = [...documented].filter((name) => name.startsWith('mailyard_'))
    const unexportedListed = listed.filter((name) => !exported.has(name))
    assert.deepEqual(unexportedListed, [])
  })

  test('follow the naming rules of Prometheus', { skip }, () => {
    const blocks = text.split('\n\n').filter((block) => block.startsWith('# HELP mailyard_'))
    const input = `${blocks.join('\n')}\n`
    const { stdout, stderr, status } = spawnSync(promtool, ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${stdout}${stderr}`)
  })
})

describe('the Prometheus rules', () => {
  test('are valid, and alert as their tests say', { skip }, () => {
    execFileSync(promtool, ['check', 'rules', '--lint-fatal', 'ops/prometheus-rules.yml'], {
      cwd: root,
    })
    execFileSync(promtool, ['test', 'rules', 'ops/prometheus-rules.test.yml'], { cwd: root })
  })

  test('ask only for labels that their series have', () => {
    const labels = documentedLabels()
    const exprs = read('ops/prometheus-rules.yml').matchAll(/ expr: (?:\|\n)?([\s\S]*?)\n {8}for:/g)
    for (const [, expr = ''] of exprs) assert.deepEqual(unknownLabels(expr, labels), [], expr)
  })
})

describe('the Grafana dashboard', () => {
  test('asks only for labels that its series have', () => {
    const labels = documentedLabels()
    for (const { expr } of targets) assert.deepEqual(unknownLabels(expr, labels), [], expr)
  })

  test('has queries that Prometheus can parse', { skip }, (context) => {
    const queries = targets.map(({ expr }) => expr)
    const rules = queries.map((expr, index) => {
      const plain = expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$[a-z]+/g, 'x')
      return `      - record: query:${index}\n        expr: ${JSON.stringify(plain)}\n`
    })
    const folder = mkdtempSync(join(tmpdir(), 'mailyard-rules-'))
    context.after(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'rules.yml')
    const text = `groups:\n  - name: dashboard\n    rules:\n${rules.join('')}`
    writeFileSync(file, text)
    const { stdout, stderr, status } = spawnSync(promtool, ['check', 'rules', file], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${stdout}${stderr}`)
  })
})
