import type { App } from '../../app.ts'
import { readRefusalQuery } from '../../feedback/index.ts'
import type { CheckReport, CheckStageReport, MauticItem } from '../../mautic/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext, Output } from '../output.ts'
import { findId, recordKinds } from '../records.ts'
import { operator, withApp } from '../session.ts'

/** `mailyard mautic check` */
export async function checkMautic(
  { environment, output }: CommandContext,
  _options: object,
  mautic = '',
): Promise<number> {
  return withApp(environment, async (app) => {
    const { id } = await findMautic(app, mautic)
    const report = await runCheck(app, id, output)
    output.print(report, [])
    return report.success ? exitCodes.ok : exitCodes.upstream
  })
}

/** Checks a Mautic, and prints each stage when it has ended. */
export async function runCheck(app: App, id: number, output: Output): Promise<CheckReport> {
  const report = await app.mautics.check(id, {
    onStage: (event) => {
      if (event.state === 'finished') output.say(...describeStage(event))
    },
  })
  output.say(report.message)
  return report
}

function describeStage({ stage, outcome, durationMs, detail, hint }: CheckStageReport): string[] {
  const line = `${outcome.padEnd(7)} ${stage.padEnd(14)} ${Math.round(durationMs)} ms  ${detail}`
  return [line, ...(hint === null ? [] : [`${' '.repeat(23)}${hint}`])]
}

interface RefusalFilters {
  limit?: string
  outcome?: string
  from?: string
  to?: string
}

/** `mailyard mautic refusals`: the newest first. */
export async function listRefusals(
  { environment, output }: CommandContext,
  filters: RefusalFilters,
  mautic = '',
): Promise<number> {
  const query = readRefusalQuery({ ...filters })
  return withApp(environment, async (app) => {
    const { id, name } = await findMautic(app, mautic)
    const { refusals } = await app.delivery.refusals.list({ mauticId: id, ...query }, operator)
    const columns = {
      ID: 'id',
      Time: 'date',
      Recipient: 'recipient',
      Email: 'emailId',
      'Email name': 'emailName',
      Outcome: 'outcome',
      Code: 'code',
      Status: 'status',
      Reason: 'reason',
    } as const
    const isFiltered = Object.keys(filters).some((filter) => filter !== 'limit')
    const empty = isFiltered
      ? `No refusal matches. All of them: ${commandName} mautic refusals ${name}`
      : `No message was refused. All deliveries: ${commandName} delivery list`
    output.printTable(refusals, columns, { empty })
    return exitCodes.ok
  })
}

/** Finds a connected Mautic by its name, id or URL. Throws an AppError (`not_found`). */
export async function findMautic(app: App, text: string): Promise<MauticItem> {
  const id = await findId(app, recordKinds.mautic, text)
  return (await app.mautics.records.get(id, operator)).item
}
