import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What is asked, how, and for how long. */
export interface LoadOptions {
  port: number
  /** Asked for in turn. */
  paths: string[]
  /** The header. */
  authorization: string
  /** Each sends its next request when the last one is answered. */
  connections: number
  seconds: number
}

/** What came of it. */
export interface LoadResult {
  requests: number
  /** Answers that were no 2xx. */
  failures: number
  perSecond: number
  medianMs: number
  p99Ms: number
  /** How much of one processor the generator needed: near 1, it was the bottleneck itself. */
  generatorBusy: number
}

/** Puts a server under load from a process of its own. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const script = join(import.meta.dirname, 'load-generator.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)])
  return JSON.parse(stdout) as LoadResult
}
