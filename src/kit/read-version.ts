import { readFileSync } from 'node:fs'

/** Reads the version from package.json. */
export function readVersion(): string {
  const path = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}
