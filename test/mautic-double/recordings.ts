import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'recordings')
const files = readdirSync(folder)

/** Any JSON of a recording. */
// biome-ignore lint/suspicious/noExplicitAny: recordings have any form.
export type Json = any

/** One recorded exchange with a Mautic: 5.1.0, or the version that its name begins with. */
export interface Recording {
  name: string
  request: { method: string; path: string; headers: Record<string, string>; body: Json }
  response: { status: number; headers: Record<string, string>; body: Json }
}

/** Reads a recording by its number, such as `033`, or its name. Of some, the contact is shortened to what the request changes. */
export function readRecording(number: string): Recording {
  const isWanted = (file: string) => file === `${number}.json` || file.startsWith(`${number}-`)
  return readFile(isWanted) as Recording
}

/** Reads a recorded webhook by its name, such as `open-email_on_open`. */
export function readWebhook(name: string): { headers: Record<string, string>; body: Json } {
  return readFile((file) => file === `webhook-${name}.json`)
}

/** Whether there is a recording with this name. */
export function hasRecording(name: string): boolean {
  return files.includes(`${name}.json`)
}

function readFile(isWanted: (file: string) => boolean): Json {
  const file = files.find(isWanted)
  if (file === undefined) throw new Error('There is no such recording.')
  return JSON.parse(readFileSync(join(folder, file), 'utf8'))
}
