import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { createLog } from '../../kit/log.ts'
import { wholeList } from '../../storage/index.ts'
import { createSendTest } from '../../transports/index.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { operator, readSettings, withApp } from '../session.ts'

/** The exit code of `transport test` when the message was not accepted. */
const notAccepted = 5

/** `mailyard transport test`: sends a message through exactly this transport, and prints every step. */
export async function testTransport(
  { environment, output }: CommandContext,
  { to, transcript }: { to?: string; transcript?: boolean },
  transport = '',
): Promise<number> {
  const { mailerFrom, adminEmail } = readSettings(environment).config
  return withApp(environment, async (app) => {
    const row = await app.transports.getRow(await findTransport(app, transport))
    const sendTest = createSendTest({ mailer: app.mailer, mailerFrom, log: createLog('silent') })
    const answer = await sendTest({
      dsn: await app.transports.findDsn(row),
      through: { id: row.id, name: row.name },
      testedEmailFrom: row.tested_email_from,
      to: to ?? row.tested_email_from ?? adminEmail,
      hasTranscript: transcript === true,
      caller: operator,
    })
    const steps = answer.stages.map(
      ({ stage, outcome, durationMs, detail }) =>
        `${outcome.padEnd(7)} ${stage.padEnd(9)} ${durationMs} ms  ${detail}`,
    )
    output.print(answer, [...steps, ...(answer.transcript ?? []), answer.message])
    return answer.success ? exitCodes.ok : notAccepted
  })
}

/** Finds a transport by its id or name. Throws an AppError (`not_found`, or `conflict` for a name of several transports). */
async function findTransport(app: App, text: string): Promise<number> {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const filter = { op: 'name', text } as const
  const ids: number[] = []
  for await (const page of app.transports.list({ ...wholeList, filter }, operator).pages())
    ids.push(...page.map(({ id }) => id))
  const [id] = ids
  if (id !== undefined && ids.length === 1) return id
  if (id === undefined)
    throw new AppError('not_found', 'transport_not_found', `Transport "${text}" was not found.`)
  const message = `Several transports are named "${text}": ${ids.join(', ')}. Use the id.`
  throw new AppError('conflict', 'transport_name_ambiguous', message)
}
