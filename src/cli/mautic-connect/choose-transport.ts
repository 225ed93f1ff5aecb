import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { wholeList } from '../../storage/index.ts'
import type { TransportItem } from '../../transports/index.ts'
import { findTransport } from '../input.ts'
import { type CliEnvironment, formatTable, type Output } from '../output.ts'
import { openPrompt } from '../prompt.ts'
import { operator } from '../session.ts'

/** How many transports are listed to choose from. */
const listedMax = 30
/** Stands for a transport that captures messages. */
const inbox = 'inbox'

/** Finds the transport that an option names; creates one that captures messages for `inbox`, if none has this name. */
export async function readTransport(app: App, text: string, output: Output): Promise<number> {
  try {
    return await findTransport(app, text)
  } catch (error) {
    const isMissing = error instanceof AppError && error.code === 'transport_not_found'
    if (!isMissing || nameKey(text) !== inbox) throw error
  }
  const input = { name: 'Inbox', mailerDsn: 'inbox://local' }
  const context = { caller: operator, isAtomic: true }
  const { item } = unwrap((await app.transports.create([input], context))[0])
  output.say(`Transport ${item.id} (${item.name}) captures messages and sends none.`)
  return item.id
}

/** Asks for the default transport of a Mautic. Returns null without a terminal, and for the configured default. */
export async function askTransport(
  app: App,
  environment: CliEnvironment,
  { output, hasDefault }: { output: Output; hasDefault: boolean },
): Promise<number | null> {
  const prompt = openPrompt(environment)
  if (prompt === undefined) return null
  try {
    for (const line of await describeTransports(app)) environment.stderr.write(`${line}\n`)
    const standard = hasDefault ? 'that of MAILYARD_MAILER_DSN' : inbox
    const answer = await prompt.ask(
      `Default transport, by id or name; "${inbox}" captures messages and sends none [${standard}]: `,
    )
    if (answer === '' && hasDefault) return null
    return await readTransport(app, answer || inbox, output)
  } finally {
    prompt.close()
  }
}

async function describeTransports(app: App): Promise<string[]> {
  const rows: TransportItem[] = []
  const list = { ...wholeList, limit: listedMax }
  for await (const page of app.transports.list(list, operator).pages()) rows.push(...page)
  const columns = ['id', 'name', 'isPublished']
  return rows.length === 0 ? [] : formatTable(rows, columns)
}
