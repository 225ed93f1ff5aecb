import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder for a database; `remove` deletes it. */
export function createBenchFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
