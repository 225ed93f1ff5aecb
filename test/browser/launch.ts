import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core'
import { volume } from '../volume.ts'

const executablePath = '/usr/bin/chromium'
/** What tests and scripts say where there is no browser; undefined where there is one. */
export const missingBrowser = existsSync(executablePath)
  ? undefined
  : `needs Chromium at ${executablePath}`

/** Parts of the browser's own window, which no one sees here: it renders them again for each page that opens. */
const unseen = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']
/** What Playwright leaves out of Chromium. Only the last list counts. */
const leftOut = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

const flags = [
  `--disable-features=${[...unseen, ...leftOut].join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** For `describe`: tests in a browser say that they are skipped where there is no Chromium. */
export const needsBrowser = {
  skip: missingBrowser ?? false,
  timeout: volume({ short: 300_000, full: 3_600_000 }),
}

/** How long a step in a page may take: the machine is busy with other tests. */
const stepMs = 60_000

/** Starts Debian's Chromium without a window. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags })
}

/** Opens an empty browser profile: no cookies, no cache. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(stepMs)
  return context
}
