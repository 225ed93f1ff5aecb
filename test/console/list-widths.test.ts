import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { openTestConsole, type TestConsole } from './test-console.ts'

const longName =
  'Receipts of every shop of the northern brands, their partners and all of their customers'
/** The lists that the records below are in. */
const lists = ['/transports', '/emails', '/templates', '/contacts', '/limits', '/suppressions']
const widths = [700, 860, 1_024, 1_200]

describe('lists with long names', needsBrowser, () => {
  let console: TestConsole
  before(async () => {
    console = await openTestConsole()
    const { service } = console
    const add = async (path: string, body: object) => {
      const answer = await service.ask('POST', `/api/${path}/new`, body)
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    }
    const { id } = await add('multipleTransports', {
      name: longName,
      description: longName,
      mailerDsn: `smtp://a-very-long-user-name@example.com:S3cret@smtp.northern-brands.example.com:587`,
    })
    await add('emails', { name: longName, subject: longName, plainText: 'Hello' })
    await add('twigTemplates', {
      name: longName.toLowerCase().replaceAll(/[ ,]+/g, '-'),
      template: 'Hello',
    })
    const email = `${'long-name-'.repeat(6)}@customers.northern-brands.example.com`
    await add('contacts', { email, firstname: longName, tags: ['customers', 'newsletter'] })
    await add('limits', {
      name: longName,
      transports: [id],
      perDay: 100,
    })
    await add('suppressions', { address: email, reason: 'bounced', comment: longName })
  })
  after(() => console?.close())

  test('the list of transports shows the server of a DSN, and no part of its password', async () => {
    const page = await console.open('/transports')
    await page.getByText('smtp.northern-brands.example.com:587', { exact: true }).waitFor()
    assert.doesNotMatch(await page.locator('.table').innerText(), /S3cret/)
  })

  test('at 1,024 pixels the list of transports keeps the last test and the last day of each', async () => {
    const page = await console.open('/transports')
    await page.setViewportSize({ width: 1_024, height: 800 })
    for (const name of ['Last test', 'Last 24 hours'])
      await page.getByRole('columnheader', { name }).waitFor()
  })

  for (const path of lists)
    test(`${path}: names have 220 pixels, no row has more than 90, and nothing scrolls sideways`, async () => {
      const page = await console.open(path)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        const row = page.locator('.table tbody tr').first()
        await row.waitFor()
        const { width: nameWidth = 0 } = (await row.locator('[data-name]').boundingBox()) ?? {}
        assert.ok(nameWidth >= 220, `the name has ${nameWidth} pixels at ${width}`)
        const { height = 0 } = (await row.boundingBox()) ?? {}
        if (width >= 1_024) assert.ok(height <= 90, `the row has ${height} pixels at ${width}`)
        const excess = await page.evaluate(() =>
          Math.max(
            ...[document.documentElement, ...document.querySelectorAll('.table-frame')].map(
              (each) => each.scrollWidth - each.clientWidth,
            ),
          ),
        )
        assert.ok(excess <= 0, `the list is ${excess} pixels too wide at ${width}`)
      }
    })
})
