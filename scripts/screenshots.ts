import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { systemClock } from '../src/kit/clock.ts'
import { adminPassword } from '../test/administrator.ts'
import { launchBrowser } from '../test/browser/launch.ts'
import { startDnsServer } from '../test/dns-server.ts'
import { startMailCatcher } from '../test/mail-catcher.ts'
import { openTestApp } from '../test/test-app.ts'
import { addExampleData, pictureTime } from './screenshots/example-data.ts'
import { checkExampleSenders, exampleZones } from './screenshots/example-senders.ts'
import { addExampleTasks } from './screenshots/example-tasks.ts'

/** Takes the pictures of `docs/screenshots/`, of a Mailyard with example data: `npm run screenshots`. */
const folder = join(import.meta.dirname, '../docs/screenshots')
const bytesMax = 150_000

interface Picture {
  path: string
  isDark?: boolean
  width?: number
  height?: number
  /** What to do before the picture is taken. */
  prepare?: (page: Page) => Promise<void>
}

const pictures: Readonly<Record<string, Picture>> = {
  overview: { path: '/', height: 900 },
  transport: {
    path: '/transports/1',
    isDark: true,
    height: 1_000,
    async prepare(page) {
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByRole('region', { name: 'Test' }).locator('.notice').first().waitFor()
    },
  },
  transports: { path: '/transports' },
  senders: { path: '/senders', height: 900 },
  deliveries: { path: '/deliveries', isDark: true },
  delivery: { path: '/deliveries/1395', width: 400, height: 900 },
  drill: {
    path: '/routing?view=drill',
    height: 900,
    async prepare(page) {
      await page.getByRole('combobox', { name: 'Mark a transport as down' }).fill('Orchard')
      await page.getByRole('option', { name: 'Orchard' }).click()
      await page.getByRole('button', { name: 'Show what would happen' }).click()
      await page.getByRole('table', { name: 'Emails' }).waitFor()
    },
  },
  assignments: { path: '/assignments' },
  brand: { path: '/brands/1' },
  'connect-mautic': { path: '/mautics/new', height: 900 },
  contact: { path: '/contacts/11', height: 900 },
  health: { path: '/health' },
  mautic: { path: '/mautics/1?tab=settings', height: 900 },
  oauth: { path: '/transports/8', height: 900 },
  queue: { path: '/queue', height: 900 },
  user: {
    path: '/access/users/2',
    height: 900,
    prepare: (page) => page.getByRole('button', { name: 'Edit' }).click(),
  },
  'warm-up': {
    path: '/limits/new',
    height: 1_100,
    async prepare(page) {
      await page.getByLabel('Name', { exact: true }).fill('Warm-up')
      await page.getByLabel('Recipients per day').first().fill('50000')
      await page.getByLabel('Start slowly and send more each day').check()
    },
  },
}

const catcher = await startMailCatcher()
const dns = await startDnsServer(exampleZones)
const service = await openTestApp({
  clock: { ...systemClock, now: () => pictureTime },
  isStarted: false,
  config: { dnsServers: [dns.address], mailerFrom: 'hello@orchard.example' },
})
const browser = await launchBrowser()
try {
  await addExampleData(service, catcher.dsn)
  await addExampleTasks(service, pictureTime)
  await checkExampleSenders(service, dns)
  const url = await service.listen()
  mkdirSync(folder, { recursive: true })
  for (const [name, picture] of Object.entries(pictures)) await take(browser, url, name, picture)
} finally {
  await browser.close()
  await service.close()
  await catcher.stop()
  await dns.close()
}

async function take(browser: Browser, url: string, name: string, picture: Picture): Promise<void> {
  const { width = 1_280, height = 800, isDark = false } = picture
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  const data = { username: 'admin', password: adminPassword }
  await context.request.post(`${url}/api/session`, { data })
  const page = await context.newPage()
  await page.clock.setFixedTime(pictureTime)
  // The console goes by the time of the answers.
  await page.route(`${url}/api/**`, async (route) => {
    const response = await route.fetch()
    const date = new Date(pictureTime).toUTCString()
    await route.fulfill({ response, headers: { ...response.headers(), date } })
  })
  await page.goto(`${url}${picture.path}`)
  await page.locator('#content h1').waitFor()
  await page.locator('.nav-count').first().waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  await picture.prepare?.(page)
  const path = join(folder, `${name}.webp`)
  const client = await context.newCDPSession(page)
  const shot = await client.send('Page.captureScreenshot', { format: 'webp', quality: 90 })
  writeFileSync(path, Buffer.from(shot.data, 'base64'))
  await context.close()
  const { size } = statSync(path)
  process.stdout.write(`${name}.webp: ${Math.round(size / 1_000)} KB\n`)
  if (size > bytesMax) throw new Error(`${name}.webp has more than ${bytesMax / 1_000} KB.`)
}
