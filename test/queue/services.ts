import assert from 'node:assert/strict'
import { adminPassword, asAdmin } from '../administrator.ts'
import { apiSettings, type MailyardProcess } from '../mailyard-process.ts'
import { submit } from '../relay/submit.ts'
import type { TestBody } from '../test-app.ts'
import { until } from '../until.ts'

/** The settings of a Mailyard whose messages over SMTP go to the queue, and from there to a server. */
export function queueSettings(dsn: string): Record<string, string> {
  const smtp = { MAILYARD_SMTP_PORT: '0', MAILYARD_SMTP_MODE: 'queue', MAILYARD_MAILER_DSN: dsn }
  return { ...apiSettings, ...smtp }
}

/**
 * Asks a Mailyard over HTTP, as its administrator. Fails where the answer is no success; a read that is
 * answered 503 is asked again: a process that hangs may keep the database from the others.
 */
export async function askService(
  { url }: Pick<MailyardProcess, 'url'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestBody> {
  const ask = () =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: asAdmin,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  let answer = await ask()
  const isAnswered = async () => {
    answer = await ask()
    return answer.status !== 503
  }
  if (method === 'GET' && answer.status === 503) await until(isAnswered, `an answer to ${path}`)
  const text = await answer.text()
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

/** Submits a message for each address; fails unless all are stored. */
export async function submitEach(
  { smtpPort: port }: Pick<MailyardProcess, 'smtpPort'>,
  addresses: readonly string[],
): Promise<void> {
  const left = [...addresses]
  const work = async () => {
    for (let to = left.pop(); to !== undefined; to = left.pop()) {
      const raw = Buffer.from(`Message-ID: <${to}>\r\nSubject: Hello\r\n\r\nHello\r\n`)
      const mail = { from: 'news@brand.test', to: [to], raw }
      const reply = await submit(mail, { port, username: 'admin', password: adminPassword })
      assert.equal(reply?.code, 250, reply?.text)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

/** All deliveries to addresses that have this text. */
export async function deliveriesTo(
  service: Pick<MailyardProcess, 'url'>,
  text: string,
): Promise<TestBody[]> {
  const all: TestBody[] = []
  let next: number | null = null
  do {
    const after: string = next === null ? '' : `&next=${next}`
    const path = `/api/deliveries?recipient=*${text}*&limit=1000${after}`
    const page = await askService(service, 'GET', path)
    all.push(...page.deliveries)
    next = page.next
  } while (next !== null)
  return all
}
