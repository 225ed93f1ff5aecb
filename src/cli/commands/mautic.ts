import type { App } from '../../app.ts'
import { readRefusalQuery } from '../../feedback/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import type { CheckReport, CheckStageReport, MauticItem } from '../../mautic/index.ts'
import { wholeList } from '../../storage/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext, Output } from '../output.ts'
import { operator, withApp } from '../session.ts'

/** `mailyard mautic list` */
export async function listMautics({ environment, output }: CommandContext): Promise<number> {
  return withApp(environment, async (app) => {
    const rows = await readMautics(app)
    const states = await app.mautics.status.find(rows.map(({ id }) => id))
    const shown = rows.map((row, index) => {
      const state = states[index]
      const problem = state?.problem ?? state?.webhook?.problem ?? null
      return { ...row, ...state, problem }
    })
    const columns = ['id', 'name', 'url', 'isPublished', 'emails', 'users', 'dateRead', 'problem']
    output.printTable(
      shown,
      columns,
      `Connect one with: ${commandName} mautic connect https://mautic.example.com`,
    )
    return exitCodes.ok
  })
}

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
    const columns = ['id', 'date', 'recipient', 'emailId', 'emailName', 'outcome', 'code', 'status']
    const isFiltered = Object.keys(filters).some((filter) => filter !== 'limit')
    const hint = isFiltered
      ? `All of them: ${commandName} mautic refusals ${name}`
      : `All its deliveries: ${commandName} delivery list`
    output.printTable(refusals, [...columns, 'reason'], hint)
    return exitCodes.ok
  })
}

async function readMautics(app: App): Promise<MauticItem[]> {
  const rows: MauticItem[] = []
  for await (const page of app.mautics.records.list(wholeList, operator).pages()) rows.push(...page)
  return rows
}

/** Finds a connected Mautic by its name, id or URL. Throws an AppError (`not_found`). */
export async function findMautic(app: App, text: string): Promise<MauticItem> {
  const key = nameKey(text).replace(/\/+$/, '')
  const mautic = (await readMautics(app)).find(
    ({ id, name, url }) => String(id) === key || name === key || url.toLowerCase() === key,
  )
  if (mautic !== undefined) return mautic
  const message = `No connected Mautic has the name or URL ${JSON.stringify(text)}. \`${commandName} mautic list\` lists them; \`${commandName} mautic connect URL\` connects one.`
  throw new AppError('not_found', 'mautic_not_found', message)
}
