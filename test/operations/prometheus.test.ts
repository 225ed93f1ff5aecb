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

/** Of Debian's package `prometheus`. */
const promtool = process.env['PROMTOOL'] ?? 'promtool'
const isInstalled = spawnSync(promtool, ['--version']).error === undefined
const skip = isInstalled ? false : 'promtool is not installed'

interface Panel {
  id: number
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

const dashboard = JSON.parse(read('ops/grafana-dashboard.json')) as {
  panels: Panel[]
  templating: { list: { name: string; query: string | { query: string } }[] }
}

/** The series that a text names; those of a histogram by the name of the histogram. */
function namesIn(text: string): Set<string> {
  const found = text.matchAll(/\b(?:mailyard|process|nodejs)_[a-z0-9_]+/g)
  return new Set([...found].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, '')))
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
      assert.deepEqual(
        [...used].filter((name) => !exported.has(name)),
        [],
      )
    })

  test('are documented, and every documented series exists', () => {
    const documented = namesIn(read('docs/metrics.md'))
    const own = [...exported].filter((name) => name.startsWith('mailyard_'))
    assert.deepEqual(
      own.filter((name) => !documented.has(name)),
      [],
    )
    const listed = [...documented].filter((name) => name.startsWith('mailyard_'))
    assert.deepEqual(
      listed.filter((name) => !exported.has(name)),
      [],
    )
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

  test('give each alert a severity, a summary and a description, and are documented', () => {
    const alerts = read('ops/prometheus-rules.yml').split('- alert: ').slice(1)
    assert.ok(alerts.length > 5)
    for (const alert of alerts) {
      const name = alert.slice(0, alert.indexOf('\n'))
      assert.ok(read('docs/metrics.md').includes(`\`${name}\``), name)
      for (const part of [/severity: (?:warning|critical) /, /summary: /, /description: /])
        assert.match(alert, part)
    }
  })
})

describe('the Grafana dashboard', () => {
  test('has panels with titles and queries, one beside the other', () => {
    const { panels } = dashboard
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const taken = new Set<string>()
    for (const { title, type, targets, gridPos } of panels) {
      assert.ok(title)
      assert.ok(type === 'row' || (targets?.length ?? 0) > 0, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(x < 24 && !taken.has(`${x} ${y}`), `${title} overlaps another panel`)
          taken.add(`${x} ${y}`)
        }
    }
  })

  test('has queries that Prometheus can parse', { skip }, (context) => {
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
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
