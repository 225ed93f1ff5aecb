import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
/** What tests and scripts say where there is no browser; undefined where there is one. */
export const missingBrowser = existsSync(executablePath)
  ? undefined
  : `needs Chromium at ${executablePath}`

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Starts Debian's Chromium without a window. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags })
}
