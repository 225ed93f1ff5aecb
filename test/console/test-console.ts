import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, before } from 'node:test'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { adminPassword } from '../administrator.ts'
import { launchBrowser, openContext } from '../browser/launch.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../test-app.ts'
import { until } from '../until.ts'
import { isFull } from '../volume.ts'

/** All consoles of the process share one browser; a moment after the last of them it is closed. */
let browser: Promise<Browser> | undefined
let openCount = 0
let closing: NodeJS.Timeout | undefined
/** The next file of tests opens its console within this time. */
const closeAfterMs = 3_000

function useBrowser(): Promise<Browser> {
  openCount += 1
  clearTimeout(closing)
  browser ??= launchBrowser()
  return browser
}

function leaveBrowser(): void {
  openCount -= 1
  if (openCount > 0) return
  closing = setTimeout(() => {
    const last = browser
    browser = undefined
    void last?.then((each) => each.close())
  }, closeAfterMs)
}

/** A Mailyard on an empty database, and its console in a real browser. */
export interface TestConsole {
  service: TestApp
  /** Where it listens, without a slash at the end. */
  url: string
  context: BrowserContext
  page: Page
  /** Opens a path of the console, logged in; as the administrator by default. */
  open(path: string, as?: { username: string; password: string }): Promise<Page>
  /** Fails where a page has logged an error, thrown, broken the content security policy, or asked another host. */
  check(): void
  close(): Promise<void>
}

/** What a Mailyard and its pages are opened with. */
export interface TestConsoleOptions extends TestAppOptions {
  /** Where it listens. Default: a free port. */
  port?: number
  /** Other servers that its pages may lead to, such as `http://127.0.0.1:8081`. */
  otherOrigins?: readonly string[]
}

/** Opens a Mailyard and a page of an own browser context, not logged in. */
export async function openTestConsole({
  port,
  otherOrigins = [],
  ...options
}: TestConsoleOptions = {}): Promise<TestConsole> {
  const launched = useBrowser()
  const service = await openTestApp(options)
  const url = await service.listen(port)
  const context = await openContext(await launched, { viewport: { width: 1280, height: 800 } })
  const problems: string[] = []
  context.on('page', (page) => watch(page, [url, ...otherOrigins], problems))
  const page = await context.newPage()
  return {
    service,
    url,
    context,
    page,
    async open(path, { username, password } = { username: 'admin', password: adminPassword }) {
      const data = { username, password }
      const answer = await context.request.post(`${url}/api/session`, { data })
      assert.equal(answer.status(), 200, await answer.text())
      await page.goto(`${url}${path}`)
      return page
    },
    check: () => assert.deepEqual(problems.splice(0), []),
    async close() {
      await context.close()
      await service.close()
      leaveBrowser()
    },
  }
}

/** The same for the tests of one suite: it is opened before the first of them, checked after each, and closed after the last. */
export function useTestConsole(options: () => TestConsoleOptions = () => ({})): TestConsole {
  const console = {} as TestConsole
  before(async () => void Object.assign(console, await openTestConsole(options())))
  afterEach(() => console.check())
  after(() => console.close())
  return console
}

/** Errors of scripts and of the policy, and requests to other hosts. Answers such as 400 are the screens' business. */
function watch(page: Page, origins: readonly string[], problems: string[]): void {
  page.on('console', (message) => {
    const isProblem = ['error', 'warning'].includes(message.type())
    if (isProblem && !message.text().startsWith('Failed to load resource')) {
      problems.push(`${page.url()}: ${message.text()}`)
    }
  })
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    const isOwn = [...origins.map((origin) => `${origin}/`), 'data:', 'blob:', 'about:'].some(
      (start) => request.url().startsWith(start),
    )
    if (!isOwn) problems.push(`${page.url()} asked ${request.url()}`)
  })
}

export const schemes = ['light', 'dark'] as const
const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Finds where a screen breaks WCAG 2.2 AA, as far as axe does. */
export async function findFaults(
  page: Page,
  colorScheme: (typeof schemes)[number],
): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: RunOptions): Promise<AxeResults> }
    }
    // Quicker, with the same violations: no selectors, little of what is right, and no style sheet loaded again for an
    // experimental rule that is off.
    const { violations } = await axe.run({
      selectors: false,
      resultTypes: ['violations'],
      preload: { assets: ['media'] },
      // A sandboxed frame has no origin that could be asked.
      iframes: false,
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    )
  })
}

/**
 * Fails where a screen breaks WCAG 2.2 AA as far as axe finds it, or scrolls sideways: light and dark, at 1280 and at
 * 360 pixels. Only `npm run test:all` looks: `npm test` looks at each screen once (every-screen).
 */
export async function assertAccessible(page: Page): Promise<void> {
  if (!isFull) return
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of schemes) {
      const found = await findFaults(page, colorScheme)
      assert.deepEqual(found, [], `${page.url()}, ${colorScheme}, ${width} pixels`)
    }
    const [content, view] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ])
    assert.ok((content ?? 0) <= (view ?? 0), `${page.url()} scrolls sideways at ${width} pixels`)
  }
  await page.setViewportSize({ width: 1_280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Chooses the template that completes what is written. While the list is searched again, a click on it is lost. */
export async function completeWith(page: Page, template: string): Promise<void> {
  const option = page.getByRole('option', { name: template })
  await option.waitFor()
  await until(async () => {
    await option.click({ timeout: 1_000 }).catch(() => undefined)
    return (await option.count()) === 0
  }, `"${template}" is chosen`)
}
