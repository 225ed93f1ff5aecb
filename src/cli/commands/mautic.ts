import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import type { CheckReport, CheckStageReport, MauticItem } from '../../mautic/index.ts'
import { wholeList } from '../../storage/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import { importPlugIns } from '../mautic-import/import-plug-ins.ts'
import type { ImportLine } from '../mautic-import/import-report.ts'
import { type CommandContext, formatTable, type Output } from '../output.ts'
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

/** `mailyard mautic import`: without `--apply` it only prints what it would do. */
export async function importFromMautic(
  { environment, output }: CommandContext,
  { apply = false }: { apply?: boolean },
  mautic = '',
): Promise<number> {
  return withApp(environment, async (app) => {
    const { id, name } = await findMautic(app, mautic)
    const read = await app.mautics.clients.get(id)
    const options = { app, read, mautic: { id, name }, isWriting: apply }
    const { lines, notes } = await importPlugIns(options)
    const columns = ['result', 'kind', 'id', 'name', 'here', 'remark']
    output.print({ isApplied: apply, lines, notes }, [
      ...(lines.length === 0 ? [] : formatTable(lines as unknown as Row[], columns)),
      ...notes,
      summarize(lines, apply),
    ])
    return lines.some(({ result }) => result === 'failed') ? exitCodes.failed : exitCodes.ok
  })
}

type Row = Record<string, unknown>

function summarize(lines: readonly ImportLine[], isApplied: boolean): string {
  const count = (...results: ImportLine['result'][]) =>
    lines.filter(({ result }) => results.includes(result)).length
  const written = count('create', 'created', 'assign', 'assigned')
  const others = [
    `${count('exists')} here already`,
    `${count('differs')} different here`,
    `${count('failed')} failed`,
  ].join(', ')
  if (isApplied) return `${written} written, ${others}.`
  const advice = written === 0 ? '' : ' Nothing was written: run it with --apply.'
  return `${written} to write, ${others}.${advice}`
}

async function readMautics(app: App): Promise<MauticItem[]> {
  const rows: MauticItem[] = []
  for await (const page of app.mautics.records.list(wholeList, operator).pages()) rows.push(...page)
  return rows
}

/** Finds a connected Mautic by its name, id or URL. Throws an AppError (`not_found`). */
export async function findMautic(app: App, text: string): Promise<MauticItem> {
  const key = nameKey(text).replace(/\/+$/, '')
  const found = (await readMautics(app)).find(
    ({ id, name, url }) => String(id) === key || name === key || url.toLowerCase() === key,
  )
  if (found === undefined) throw mauticNotFound(text)
  return found
}

function mauticNotFound(text: string): AppError {
  const message = `No connected Mautic has the name or URL ${JSON.stringify(text)}. \`${commandName} mautic list\` lists them; \`${commandName} mautic connect URL\` connects one.`
  return new AppError('not_found', 'mautic_not_found', message)
}
