import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Download, Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch.ts'
import { addUser } from '../callers.ts'
import type { TestBody } from '../test-app.ts'
import { volume } from '../volume.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const many = volume({ short: 3_000, full: 100_000 })

describe('the import of contacts in the console', needsBrowser, () => {
  let console: TestConsole
  before(async () => {
    console = await openTestConsole()
    await console.service.ask('POST', '/api/contacts/new', {
      email: 'carla@example.net',
      firstname: 'Carla',
      city: 'Rome',
    })
  })
  after(() => console?.close())

  const countContacts = async (search = '') => {
    const { body } = await console.service.ask('GET', `/api/contacts?limit=1&search=${search}`)
    return body.total as number
  }

  test('columns are guessed, rows are checked, faults can be downloaded, and the rest is imported', async () => {
    const page = await console.open('/contacts')
    await page.getByRole('link', { name: 'Import CSV' }).click()
    await assertAccessible(page)
    await choose(page, 'people.csv', [
      'E-Mail;Vorname;City;Tags;Points;Note',
      'dan@example.net;"Dan; the man";Vienna;customer|vip;10;x',
      'not an address;Eve;Paris;;;x',
      'Carla@example.net;Carla;"Milan";customer;;x',
      ';Frank;Berlin;;;x',
      '',
      'dan@example.net;Daniel;;;;x',
      'gus@example.net;Gus;Oslo;;many;|x',
    ])
    await page.getByText('people.csv: 6 rows').waitFor()
    assert.equal(await page.getByLabel('Separator').inputValue(), ';')
    assert.equal(await page.getByLabel('Field of column E-Mail').inputValue(), 'email')
    assert.equal(await page.getByLabel('Field of column City').inputValue(), 'city')
    assert.equal(await page.getByLabel('Field of column Note').inputValue(), '')
    await page.getByLabel('Field of column Vorname').selectOption('First name')
    await page.getByRole('combobox', { name: 'Add to segments' }).fill('fair,')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Check the rows' }).click()

    await page.getByRole('button', { name: 'Import 3 rows' }).waitFor()
    assert.deepEqual(await figures(page), {
      'New contacts': '1',
      'Changed contacts': '1',
      'Already up to date': '0',
      'Same address as an earlier row': '1',
      'Rows with faults': '3',
    })
    const faults = page.getByRole('region', { name: 'Rows with faults' })
    await faults.getByRole('row', { name: /^3 email .*address/ }).waitFor()
    await faults.getByRole('row', { name: /^5 The row has no email address/ }).waitFor()
    await faults.getByRole('row', { name: /^8 "many" is not a whole number/ }).waitFor()
    const changes = page.getByRole('region', { name: 'Changed contacts' })
    await changes.getByRole('row', { name: /^4 Carla@example.net.*Rome → Milan/ }).waitFor()
    await changes.getByRole('row', { name: /^7 dan@example.net Same address as row 2/ }).waitFor()
    await assertAccessible(page)
    assert.equal(await countContacts(), 1, 'a check saves nothing')

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download these rows as CSV' }).click()
    const text = await readDownload(await downloading)
    assert.match(text, /^E-Mail;Vorname;City;Tags;Points;Note;Row;Reason\r\n/)
    assert.match(text, /^gus@example\.net;Gus;Oslo;;many;'\|x;8;/m, 'is no formula')

    await page.getByRole('button', { name: 'Import 3 rows' }).click()
    await page.getByText('The import is complete: 3 rows.').waitFor()
    await assertAccessible(page)
    const { body } = await console.service.ask('GET', '/api/contacts?search=dan')
    const [dan]: TestBody[] = Object.values(body.contacts)
    assert.deepEqual(dan.segments, ['fair'])
    assert.deepEqual(dan.fields.all.firstname, 'Daniel')
    assert.deepEqual(dan.tags, [{ tag: 'customer' }, { tag: 'vip' }])
  })

  test('other encodings are recognised, and a file that is no table is refused', async () => {
    const page = await console.open('/contacts/import')
    const buffer = Buffer.from('email,lastname\r\nolga@example.net,M\xfcller\r\n', 'latin1')
    await chooseBytes(page, 'latin.csv', buffer)
    await page.getByText('Müller').waitFor()
    assert.equal(await page.getByLabel('Encoding').inputValue(), 'windows-1252')
    await page.getByLabel('Encoding').selectOption('UTF-8')
    await page.getByText('M\ufffdller').waitFor()
    await page.getByRole('button', { name: 'Choose another file' }).click()
    await chooseBytes(page, 'empty.csv', Buffer.from('email\n'))
    await page.getByText('The file has no rows.').waitFor()
    await chooseBytes(page, 'open.csv', Buffer.from('email,city\na@example.net,"Rome\n'))
    await page.getByText('Row 2 opens a quotation mark that is not closed').waitFor()
  })

  test('many rows are imported while the page stays in use; it can be cancelled and continued', async () => {
    const page = await console.open('/contacts/import')
    const before = await countContacts()
    await choose(page, 'many.csv', rowsOf('many', many))
    await page.getByRole('button', { name: 'Check the rows' }).click()
    await page.getByRole('button', { name: /^Import [\d,]+ rows$/ }).click({ timeout: 120_000 })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText(/^Cancelled\. The first [\d,]+ rows are imported/).waitFor()
    const atCancel = await countContacts()
    assert.ok(atCancel < before + many, 'it is cancelled before its end')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(/^The import is complete/).waitFor({ timeout: 120_000 })
    assert.equal(await countContacts(), before + many)
    assert.equal((await figures(page))['New contacts'], many.toLocaleString('en'))
  })

  test('an import that lost its connection is continued and doubles no contact', async () => {
    const page = await console.open('/contacts/import')
    const before = await countContacts()
    await choose(page, 'lost.csv', rowsOf('lost', 2_500))
    await page.getByRole('button', { name: 'Check the rows' }).click()
    await page.getByRole('button', { name: 'Import 2,500 rows' }).waitFor()
    let batches = 0
    await page.route('**/api/contacts/batch/new*', async (route) => {
      batches += 1
      if (batches === 1) return route.continue()
      // Saved, but the answer is lost.
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Import 2,500 rows' }).click()
    await page.getByText('The first 1,000 rows are imported.').waitFor()
    await assertAccessible(page)
    assert.equal(await countContacts(), before + 2_000)
    await page.unroute('**/api/contacts/batch/new*')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The import is complete: 2,500 rows.').waitFor()
    assert.equal(await countContacts(), before + 2_500)
    assert.equal((await figures(page))['New contacts'], '2,500')
  })

  test('who may not create contacts is offered no import', async () => {
    const viewer = await addUser(console.service, { contact: ['view'] })
    const page = await console.open('/contacts', viewer)
    await page.getByRole('link', { name: 'carla@example.net' }).waitFor()
    assert.equal(await page.getByRole('link', { name: /Import|Add/ }).count(), 0)
    await page.goto(`${console.url}/contacts/import`)
    await page.getByRole('heading', { name: 'Import contacts' }).waitFor()
    assert.equal(await page.getByLabel('CSV file').count(), 0)
  })
})

function rowsOf(name: string, count: number): string[] {
  const rows = Array.from(
    { length: count },
    (_, index) => `${name}${index}@example.org,First ${index},"Last, ${index}",Vienna`,
  )
  return ['email,firstname,lastname,city', ...rows]
}

function choose(page: Page, name: string, lines: readonly string[]): Promise<void> {
  return chooseBytes(page, name, Buffer.from(`${lines.join('\r\n')}\r\n`))
}

async function chooseBytes(page: Page, name: string, buffer: Buffer): Promise<void> {
  await page
    .getByLabel('CSV file', { exact: true })
    .and(page.locator('input'))
    .setInputFiles({ name, mimeType: 'text/csv', buffer })
}

/** The counts of the rows, by their names. */
async function figures(page: Page): Promise<Record<string, string>> {
  const all = await page.locator('.figure').all()
  const entries = all.map(async (each) => [
    await each.locator('dt').innerText(),
    await each.locator('dd').innerText(),
  ])
  return Object.fromEntries(await Promise.all(entries))
}

async function readDownload(download: Download): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
