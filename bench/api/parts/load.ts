import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface LoadOptions {
  port: number
  /** Requested in a cycle. */
  paths: string[]
  /** The Authorization header. */
  authorization: string
  /** Each sends its next request after the last response. */
  connections: number
  seconds: number
}

export interface LoadResult {
  requests: number
  /** Responses without a 2xx status. */
  failures: number
  perSecond: number
  medianMs: number
  p99Ms: number
  /** The share of one core that the generator used; near 1 it was the bottleneck. */
  generatorBusy: number
}

/** Puts a server under load from a separate process. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const script = join(import.meta.dirname, 'load-generator.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)])
  return JSON.parse(stdout) as LoadResult
}
