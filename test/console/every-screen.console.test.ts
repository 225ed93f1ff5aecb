import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { addExampleData, pictureTime } from '../../scripts/screenshots/example-data.ts'
import { needsBrowser } from '../browser/launch.ts'
import { useMailCatcher } from '../mail-catcher.ts'
import { addBrand } from '../mautics.ts'
import { clockAt } from '../movable-clock.ts'
import { addQueued } from '../queue/test-queue.ts'
import { isFull } from '../volume.ts'
import { findFaults, schemes, useTestConsole } from './test-console.ts'

const widths = [1_440, 1_024, 720, 360]
/** Of one line, with its border. */
const rowHeightMax = 41
const nameWidthMin = 220

/** The addresses of all screens: `:id` is record 1, and the form of a new record has an address of its own. */
const paths = [
  ...readFileSync(join(import.meta.dirname, '../../web/app.tsx'), 'utf8').matchAll(
    /'(\/[^']*)': screen\(/g,
  ),
]
  .map(([, path = '']) => path)
  .map((path) => path.replace(':domain', 'northern-brands.example').replace(':page', 'limits'))
  .flatMap((path) =>
    path.endsWith('/:id') ? [path.replace(':id', '1'), path.replace(':id', 'new')] : [path],
  )

/** What a table cuts without an ellipsis, each line in a cell that is broken, and each field that touches the one above. */
function findCut(): string[] {
  const faults: string[] = []
  for (const part of document.querySelectorAll<HTMLElement>(
    '.table-frame, .table :is(th, td, td :not(svg *, .dot))',
  )) {
    const { display, overflowX, textOverflow } = getComputedStyle(part)
    if (display === 'inline' || part.clientWidth <= 1) continue
    const hasEllipsis = textOverflow === 'ellipsis' && overflowX === 'hidden'
    if (part.scrollWidth > part.clientWidth + 1 && !hasEllipsis)
      faults.push(`cut: ${part.tagName} ${part.className} ${part.textContent}`)
  }
  for (const field of document.querySelectorAll('.field + .field')) {
    const above = field.previousElementSibling?.getBoundingClientRect()
    const { top, left } = field.getBoundingClientRect()
    if (above && above.height > 0 && left < above.right && top < above.bottom + 4)
      faults.push(`crowded: ${field.textContent}`)
  }
  const range = document.createRange()
  for (const part of document.querySelectorAll('.table :is(th, td), .table :is(th, td) *')) {
    const texts = [...part.childNodes].filter((node) => node instanceof Text)
    const lines = texts.flatMap((text) =>
      [...text.data].map((_, index) => {
        range.setStart(text, index)
        range.setEnd(text, index + 1)
        return Math.round(range.getBoundingClientRect().bottom)
      }),
    )
    for (const { 0: word, index } of texts
      .map(({ data }) => data)
      .join('')
      .matchAll(/[^\s-]+/g)) {
      const counts = Object.values(Object.groupBy(lines.slice(index, index + word.length), String))
      if (counts.length > 1 && counts.some((line = []) => line.length < 4))
        faults.push(`broken: ${word}`)
    }
  }
  return [...new Set(faults)]
}

describe('every screen of the console', needsBrowser, () => {
  let now = pictureTime
  const console = useTestConsole(() => ({ clock: clockAt(() => now), isStarted: false }))
  const catcher = useMailCatcher()
  before(async () => {
    const { service } = console
    await addExampleData(service, catcher.dsn)
    const add = async (path: string, body: object) => {
      const answer = await service.ask('POST', path, body)
      assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    }
    await add('/api/brands/new', { name: 'Northern', domains: ['northern-brands.example'] })
    await add('/api/limits/new', { name: 'SES account', perDay: 50_000, transports: [2] })
    const redirectUris = ['https://shop.example.com/callback']
    await add('/api/oauthClients/new', { name: 'shop', redirectUris })
    await add('/api/webhooks/new', {
      name: 'Shop',
      url: 'https://shop.example.com/hooks/of-the-northern-brands/mailyard',
      events: ['delivery.bounced', 'transport.down'],
    })
    await add('/api/dkimKeys/new', { domain: 'news.of-the-northern-brands.example' })
    await add('/api/suppressions/new', { address: 'gone@example.com', reason: 'manual' })
    const brand = await addBrand(service, { name: 'Shop', domains: ['shop.example'] })
    const login = { username: 'mailyard', password: 'S3cret', brand }
    await add('/api/mautics/new', { name: 'shop', url: 'https://mautic.example.com', ...login })
    await service.askFor('PATCH', '/api/multipleTransports/3/edit', { brand })
    // Of each transport some are due, some wait for their next attempt, and a person holds some.
    const dueAt = { queued: 0, deferred: 3_600_000, held: 0 }
    for (const transport_id of [1, 2, 3])
      for (const [state, delay] of Object.entries(dueAt))
        await addQueued(service, pictureTime, {
          recipient: `${state}@customers.northern-brands.example.com`,
          transport_id,
          state: state === 'held' ? 'held' : 'queued',
          due_at: pictureTime + delay,
          attempts: state === 'deferred' ? 3 : 0,
          problem: state === 'deferred' ? '451 4.7.1 Greylisted, please try again later' : null,
        })
    // A transport that has just failed, and failed before, with a name that fills a button.
    const name = 'Kestrel Outdoor – newsletters (Amazon SES)'
    const unreachable = { name, mailerDsn: 'smtp://orchard@127.0.0.1:1' }
    await service.ask('PATCH', '/api/multipleTransports/2/edit', unreachable)
    for (const contact of [1, 2, 3, 4, 5]) await add(`/api/emails/2/contact/${contact}/send`, {})
    now += 60_000
  })

  for (const [index, path] of paths.entries())
    test(`${path} is accessible, cuts nothing off, has no time of a machine, and keeps its names wide`, async () => {
      const page = await console.open(path)
      await page.locator('main h1').waitFor()
      await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
      assert.doesNotMatch(
        await page.locator('main').innerText(),
        /\d{4}-\d\d-\d\dT|\d UTC\b|\+00:00/,
      )
      for (const [at, width] of widths.entries()) {
        await page.setViewportSize({ width, height: 900 })
        const where = `${path} at ${width} pixels`
        const layout = await page.evaluate(() => ({
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          rows: [
            ...document.querySelectorAll<HTMLElement>(
              '.table tbody tr:has([data-kind="name"] a):not(:has(.usage-bars))',
            ),
          ].map((row) => row.offsetHeight),
          names: [...document.querySelectorAll<HTMLElement>('.table thead [data-kind="name"]')]
            .map((name) => name.offsetWidth)
            .filter((name) => name > 1),
        }))
        if (width !== 720) assert.deepEqual(await page.evaluate(findCut), [], where)
        assert.ok(layout.overflow <= 0, `${where} scrolls sideways by ${layout.overflow}`)
        if (width >= 1_024)
          assert.ok(
            Math.max(0, ...layout.rows) <= rowHeightMax,
            `${where}: rows ${layout.rows.join()}`,
          )
        if (width > 720)
          assert.ok(
            Math.min(1e3, ...layout.names) >= nameWidthMin,
            `${where}: ${layout.names.join()}`,
          )
        for (const [number, scheme] of schemes.entries())
          if (isFull || index % (widths.length * 2) === at * 2 + number)
            assert.deepEqual(await findFaults(page, scheme), [], `${where}, ${scheme}`)
      }
    })
})
