import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { findId, recordKinds } from '../records.ts'
import { operator, readSettings, withApp } from '../session.ts'

/** `mailyard transport test`: sends a message through exactly this transport, and prints every step. */
export async function testTransport(
  { environment, output }: CommandContext,
  { to, transcript }: { to?: string; transcript?: boolean },
  transport = '',
): Promise<number> {
  const { adminEmail } = readSettings(environment).config
  return withApp(environment, async (app) => {
    const row = await app.transports.getRow(await findId(app, recordKinds.transport, transport))
    // A command starts no background tasks, and the message is to be signed as those of the service.
    await app.dkim.keys.load()
    const answer = await app.sendTest({
      dsn: await app.transports.findDsn(row),
      isPublicOnly: row.is_public_only,
      through: { id: row.id, name: row.name },
      testedEmailFrom: row.tested_email_from,
      to: to ?? row.tested_email_from ?? adminEmail,
      hasTranscript: transcript === true,
      hasAlignment: true,
      caller: operator,
    })
    const steps = answer.stages.map(
      ({ stage, outcome, durationMs, detail }) =>
        `${outcome.padEnd(7)} ${stage.padEnd(9)} ${durationMs} ms  ${detail}`,
    )
    output.print(answer, [...steps, ...(answer.transcript ?? []), answer.message])
    return answer.success ? exitCodes.ok : exitCodes.upstream
  })
}
