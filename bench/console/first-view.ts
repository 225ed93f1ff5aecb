// What a browser loads for the first view of the console, and how long the view takes: on an empty database, and on one
// with 100,000 transports and 1,000,000 deliveries: `npm run bench -- console`. TRANSPORTS, DELIVERIES, DATABASE (a file
// that `fill.ts` made, which is kept).
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { adminPassword } from '../../test/administrator.ts'
import { launchBrowser, missingBrowser } from '../../test/browser/launch.ts'
import { collectFiles, type LoadedFiles } from '../../test/console/loaded-files.ts'
import { apiSettings, createFolder, startMailyard } from '../../test/mailyard-process.ts'
import { fillDatabase } from './fill-database.ts'

const transports = Number(process.env['TRANSPORTS'] ?? 100_000)
const deliveries = Number(process.env['DELIVERIES'] ?? 1_000_000)
const repeats = 5
const screens = { overview: '/', transports: '/transports', deliveries: '/deliveries' }
const limits = { script: 60_000, style: 20_000 }
const goalMs = 500

/** One first view. */
interface View {
  /** From the start of the navigation until the content is there. */
  shownMs: number
  requests: string[]
  files: LoadedFiles
}

if (import.meta.main) await run()

async function run(): Promise<void> {
  if (missingBrowser !== undefined) {
    print(`skipped: ${missingBrowser}`)
    return
  }
  print(
    `load average ${loadavg()[0]?.toFixed(1)}; with other work on the processors, times are longer`,
  )
  const { folder, remove } = createFolder()
  const databases = {
    empty: `sqlite:${folder}/empty.db`,
    full: process.env['DATABASE'] ?? `sqlite:${folder}/full.db`,
  }
  const browser = await launchBrowser()
  try {
    if (!existsSync(databases.full.slice('sqlite:'.length)))
      await fillDatabase({ databaseUrl: databases.full, transports, deliveries })
    const [empty, full] = await Promise.all([start(databases.empty), start(databases.full)])
    try {
      await compareViews(browser, empty.url, full.url)
    } finally {
      await Promise.all([empty.stop(), full.stop()])
    }
  } finally {
    await browser.close()
    remove()
  }
}

function start(databaseUrl: string) {
  return startMailyard({ databaseUrl, env: apiSettings })
}

/** Takes turns, so that other work on the machine meets both alike. */
async function compareViews(browser: Browser, emptyUrl: string, fullUrl: string): Promise<void> {
  for (const [name, path] of Object.entries(screens)) {
    const empty: View[] = []
    const full: View[] = []
    for (let repeat = 0; repeat <= repeats; repeat++) {
      empty.push(await view(browser, `${emptyUrl}${path}`))
      full.push(await view(browser, `${fullUrl}${path}`))
    }
    const [emptyMs, fullMs] = [empty, full].map(medianOf)
    print(
      `${name}: first view ${fullMs} ms with ${transports} transports and ${deliveries} deliveries` +
        ` (goal ${goalMs}), ${emptyMs} ms empty, ratio ${((fullMs ?? 0) / (emptyMs ?? 1)).toFixed(2)}`,
    )
    const [last] = full.slice(-1)
    if (last === undefined) continue
    const { script, style, names } = last.files
    print(
      `  scripts ${kb(script)} of ${kb(limits.script)}, styles ${kb(style)} of ${kb(limits.style)}, gzip; ${names.size} files`,
    )
    for (const request of last.requests) print(`  ${request}`)
  }
}

/** The first one compiles the server's code, and is left out. */
function medianOf(views: readonly View[]): number {
  const times = views.slice(1).map(({ shownMs }) => shownMs)
  return Math.round(times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0)
}

/** Opens a screen with an empty cache, logged in. */
async function view(browser: Browser, url: string): Promise<View> {
  const context = await openContext(browser, url)
  try {
    const page = await context.newPage()
    const files = collectFiles(page)
    await page.addInitScript(noteWhenShown)
    await page.goto(url)
    const shown = page.locator('html[data-shown-ms]')
    const shownMs = Number(await shown.getAttribute('data-shown-ms'))
    const requests = await readRequests(page)
    return { shownMs, requests, files: await files() }
  } finally {
    await context.close()
  }
}

async function openContext(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } })
  const data = { username: 'admin', password: adminPassword }
  await context.request.post(new URL('/api/session', url).href, { data })
  return context
}

/** In the page: notes the time of the first frame with the content, instead of its place. */
function noteWhenShown(): void {
  const find = (selector: string) => document.querySelector(selector)
  const look = () => {
    if (find('#content h1') === null || find('.skeleton') !== null) requestAnimationFrame(look)
    else document.documentElement.dataset['shownMs'] = String(performance.now())
  }
  requestAnimationFrame(look)
}

/** The requests to the API: when each began, and how long it took. */
function readRequests(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/api/'))
      .map(
        ({ name, startTime, duration }) =>
          `${Math.round(startTime)} + ${Math.round(duration)} ms  ${new URL(name).pathname}${new URL(name).search}`,
      ),
  )
}

function kb(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} KB`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
