import { asAdmin } from '../administrator.ts'
import type { MailyardProcess } from '../mailyard-process.ts'

/** What a service answered. */
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a body may be anything, and an assertion follows at once.
  body: any
}

/** What is asked, beside the path. */
export interface Question {
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Asks a service as its administrator; rejects where there is no answer. */
export async function ask(
  { url }: Pick<MailyardProcess, 'url'>,
  path: string,
  { method = 'GET', body, headers = {} }: Question = {},
): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: asAdmin, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}

/** A transport of this name, whose DSN holds the name as well. */
export function transport(name: string): Record<string, unknown> {
  const password = encodeURIComponent(name)
  return { name, mailerDsn: `smtp://user:${password}@smtp.example.com:587`, description: name }
}
