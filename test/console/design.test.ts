import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const root = join(import.meta.dirname, '../..')

/** Serves the page `/design`, which the built console does not contain, from a build of its own. */
async function serveDesign(page: Page, folder: string): Promise<void> {
  const script = join(root, 'scripts/build-web.ts')
  execFileSync(process.execPath, [script, '--design', folder])
  await page.route(/\/design$/, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: readFileSync(join(folder, 'index.html'), 'utf8'),
    }),
  )
  await page.route('**/assets/*', (route) => {
    const { pathname } = new URL(route.request().url())
    const contentType = pathname.endsWith('.css') ? 'text/css' : 'text/javascript'
    return route.fulfill({ contentType, body: readFileSync(join(folder, pathname)) })
  })
}

describe('the parts of the console, on the page of the design system', needsBrowser, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-design-'))
  let console: TestConsole
  let page: Page
  before(async () => {
    console = await openTestConsole()
    page = console.page
    await serveDesign(page, folder)
  })
  beforeEach(async () => {
    await page.setViewportSize({ width: 1_280, height: 800 })
    await console.open('/design')
    await page.getByRole('heading', { name: 'Design system' }).waitFor()
  })
  after(async () => {
    await console?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const part = (name: string) => page.getByRole('region', { name })

  test('axe finds nothing in any of them', () => assertAccessible(page))

  test('a table drops columns by their priority, and keeps names readable and rows low', async () => {
    const table = part('Tables and tabs').locator('table')
    const heads = () => table.locator('th:visible').allInnerTexts()
    // A window of 860 pixels has no navigation beside the table, and one of 1,024 has.
    const cases = [
      [1_440, ['Server', 'Last 24 hours', 'Messages']],
      [1_200, ['Last 24 hours', 'Messages']],
      [860, ['Last 24 hours', 'Messages']],
      [1_024, ['Messages']],
      [720, []],
    ] as const
    let before = 6
    for (const [width, expected] of cases) {
      await page.setViewportSize({ width, height: 800 })
      const shown = await heads()
      for (const label of ['Name', 'State', ...expected])
        assert.ok(
          shown.some((text) => text.startsWith(label)),
          `${label} at ${width} pixels: ${shown.join()}`,
        )
      assert.ok(shown.length <= before, `${width} pixels show more than a wider table`)
      before = shown.length
      const name = await table.locator('td[data-name]').first().boundingBox()
      assert.ok((name?.width ?? 0) >= 220, `the name has ${name?.width} pixels at ${width}`)
      for (const row of await table.locator('tbody tr').all()) {
        const { height = 0 } = (await row.boundingBox()) ?? {}
        assert.ok(height <= 90, `a row has ${height} pixels at ${width}`)
      }
    }
  })

  test('on a phone each row is a card, with nothing left out', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    const row = part('Tables and tabs').locator('tbody tr').first()
    await row.getByText('12,804').waitFor()
    const { width = 0 } = (await row.boundingBox()) ?? {}
    assert.ok(width <= 360)
  })

  test('a mass action says its number, can be declined, and can be undone', async () => {
    const overlays = part('Dialogs and toasts')
    const dialog = page.getByRole('dialog', { name: 'Cancel 50 messages?' })
    const ask = () => overlays.getByRole('button', { name: 'Cancel them' }).click()
    await ask()
    await dialog.getByRole('button', { name: 'Keep them' }).click()
    await dialog.waitFor({ state: 'detached' })
    await overlays.getByText('50 messages', { exact: true }).waitFor()
    await ask()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await ask()
    await dialog.getByRole('button', { name: 'Cancel 50 messages' }).click()
    await overlays.getByText('0 messages', { exact: true }).waitFor()
    await page.getByText('50 messages are cancelled.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await overlays.getByText('50 messages', { exact: true }).waitFor()
    await page.getByText('50 messages are cancelled.').waitFor({ state: 'detached' })
  })

  test('arrow keys choose a tab and move the focus to it', async () => {
    const selected = () => page.locator('[role=tab][aria-selected=true]')
    await part('Tables and tabs').getByRole('tab', { name: 'Facts' }).focus()
    await page.keyboard.press('ArrowRight')
    assert.equal(await selected().innerText(), 'Nothing')
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Nothing')
    await page.getByText('No transport yet.').waitFor()
    await page.keyboard.press('ArrowRight')
    assert.equal(await selected().innerText(), 'Facts')
  })

  test('a picker is used by keys alone, and its choice can be removed', async () => {
    const picker = page.getByRole('combobox', { name: 'Transport' })
    await picker.focus()
    await picker.fill('Brand')
    await page.getByRole('option', { name: 'Brand B' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    assert.equal(await picker.inputValue(), 'Brand B')
    await picker.fill('A')
    await page.getByRole('option', { name: 'Brand A' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await picker.inputValue(), 'Brand B', 'Escape keeps the choice')
    await page.locator('.picker-clear').click()
    assert.equal(await picker.inputValue(), '')
  })

  test('the fault and the help of a field are read with it', async () => {
    const described = async (name: string) => {
      const ids = await page.getByLabel(name, { exact: true }).getAttribute('aria-describedby')
      return page.locator(`[id="${ids?.split(' ')[0]}"]`).innerText()
    }
    assert.equal(await described('Port'), 'A port is a number from 1 to 65535.')
    assert.equal(await described('Name'), 'What people call it.')
    const port = page.getByLabel('Port', { exact: true })
    assert.equal(await port.getAttribute('aria-invalid'), 'true')
  })

  test('tones and outcomes differ without colour, by icon and word', async () => {
    const badges = await part('States').locator('.badge').all()
    const looks = await Promise.all(
      badges.map(async (badge) => {
        const icons = await badge.locator('svg').all()
        const icon = await Promise.all(icons.map((each) => each.innerHTML()))
        return { icon: icon.join(), word: await badge.innerText() }
      }),
    )
    assert.ok(looks.length >= 13)
    const withIcon = looks.filter(({ icon }) => icon !== '')
    // Only the neutral tone has none.
    assert.equal(withIcon.length, looks.length - 1)
    assert.equal(new Set(withIcon.map(({ icon }) => icon)).size, withIcon.length)
    assert.equal(new Set(looks.map(({ word }) => word)).size, looks.length)
  })
})
