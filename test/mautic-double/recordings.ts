import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'recordings')
const files = readdirSync(folder)

/** Any JSON of a recording. */
// biome-ignore lint/suspicious/noExplicitAny: recordings have any form.
export type Json = any

/** One recorded exchange with Mautic 5.1.0. */
export interface Recording {
  name: string
  request: { method: string; path: string; headers: Record<string, string>; body: Json }
  response: { status: number; headers: Record<string, string>; body: Json }
}

/** Reads a recording by its number, such as `033`. */
export function readRecording(number: string): Recording {
  return readFile((file) => file.startsWith(`${number}-`)) as Recording
}

/** Reads a recorded webhook by its name, such as `open-email_on_open`. */
export function readWebhook(name: string): { headers: Record<string, string>; body: Json } {
  return readFile((file) => file === `webhook-${name}.json`)
}

function readFile(isWanted: (file: string) => boolean): Json {
  const file = files.find(isWanted)
  if (file === undefined) throw new Error('There is no such recording.')
  return JSON.parse(readFileSync(join(folder, file), 'utf8'))
}
