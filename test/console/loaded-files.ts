import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'

/** The bytes of scripts and style sheets after gzip, and the names of their files. */
export interface LoadedFiles {
  script: number
  style: number
  names: ReadonlySet<string>
}

/** Collects the files of the console that a page loads from now on. */
export function collectFiles(page: Page): () => Promise<LoadedFiles> {
  const responses: Response[] = []
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.startsWith('/assets/')) responses.push(response)
  })
  return async () => {
    const found = responses.map(async (response) => ({
      name: new URL(response.url()).pathname.slice('/assets/'.length),
      bytes: gzipSync(await response.body(), { level: 9 }).length,
    }))
    const files = await Promise.all(found)
    const sum = (ending: string) =>
      files.reduce((total, { name, bytes }) => total + (name.endsWith(ending) ? bytes : 0), 0)
    return { script: sum('.js'), style: sum('.css'), names: new Set(files.map(({ name }) => name)) }
  }
}

/** Waits until the screen shows its content, and has asked for nothing for half a second. */
export async function untilQuiet(page: Page): Promise<void> {
  await page.locator('#content h1').waitFor()
  await page.waitForLoadState('networkidle')
  await page.locator('#content:not(:has(.skeleton)) h1').waitFor()
}
