import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import type { FaultDetails } from '../../../kit/app-error.ts'
import { maskDsn } from '../../../libraries/mailer/index.ts'
import { kebab } from '../command.ts'
import { errorLines, exitCodeOfKind, exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { formatRecord, formatTable, type Row, type Screen, withoutControls } from '../table.ts'
import { type Answer, type ApiClient, kindOf } from './client.ts'
import { type ApiRequest, bodyOf, type Operation } from './document.ts'
import { isDeletion, optionsOf } from './options.ts'
import { nameTransports } from './references.ts'

interface Question {
  operation: Operation
  request: ApiRequest
  /** Sends the request again, for what follows: a change of many records ends after some seconds with `next`. */
  next: (next: number) => Promise<Answer>
  /** Where the names of ids are found, for people. */
  api: ApiClient
}

/** Shows the answer of the API. Returns the exit code. */
export async function showAnswer(
  context: CommandContext,
  question: Question,
  { status, headers, stream }: Answer,
): Promise<number> {
  const { environment, output } = context
  const say = (line: string) => environment.stderr.write(`${withoutControls(line)}\n`)
  if (!String(headers['content-type']).startsWith('application/json')) {
    await copy(stream, environment.stdout)
    return exitCodeOf(status, {})
  }
  const body = await readAll(question, stream)
  const warnings = [
    JSON.parse(String(headers['x-warnings'] ?? '[]')),
    body['warnings'] ?? [],
  ].flat()
  const sentences = warnings.filter((each) => typeof each === 'string')
  for (const warning of output.isJson ? [] : sentences) say(`warning: ${warning}`)
  if (output.isJson) output.print(body, [])
  else if (typeof body['error'] === 'string') {
    const { success: _, warnings: __, error, details, ...facts } = body
    const nameOf = (field: string) => typed(question.operation, field)
    for (const line of errorLines(String(error), details as FaultDetails, nameOf)) say(line)
    for (const line of formatRecord(facts, output.screen)) say(line)
  } else {
    const shown = output.screen.isTerminal ? await nameTransports(body, question.api) : body
    const { lines, more } = format(shown, headers, { ...question, screen: output.screen })
    output.print(undefined, lines)
    if (question.request.query['dryRun'] !== undefined) say('dry run: nothing was changed.')
    for (const line of more) say(line)
  }
  return exitCodeOf(status, body)
}

/** Reads JSON, to the end of a change in several steps: their numbers are added up. */
async function readAll({ operation, next }: Question, stream: Readable): Promise<Row> {
  let body = (await json(stream)) as Row
  const isChange = bodyOf(operation)?.schema.properties?.['next'] !== undefined
  while (isChange && typeof body['next'] === 'number') {
    const step = (await json((await next(body['next'])).stream)) as Row
    const sums = Object.entries(step).map(([name, value]) => {
      const before = body[name]
      const isSum = name !== 'next' && typeof value === 'number' && typeof before === 'number'
      return [name, isSum ? before + value : value] as const
    })
    body = { ...body, ...Object.fromEntries(sums) }
  }
  return body
}

/** Formats the answer of a request that succeeded, and says how to get more. */
function format(
  body: Row,
  headers: Answer['headers'],
  { operation, request, screen }: Pick<Question, 'operation' | 'request'> & { screen: Screen },
): { lines: string[]; more: string[] } {
  const { warnings: _, success: __, message, next, ...members } = body
  const cursor = Object.hasOwn(optionsOf(operation), 'next') ? '--next' : '--start'
  const more = typeof next === 'number' ? [`more: ${cursor} ${next} continues.`] : []
  const sentence = typeof message === 'string' ? [withoutControls(message)] : []
  if (operation.operationId.startsWith('list')) {
    const { total, ...rest } = Array.isArray(body) ? { records: body } : members
    const [[, records] = [], ...others] = Object.entries(rest)
    if (others.length === 0 && typeof records === 'object') {
      const rows = Object.values(records ?? {}).map((row) => masked(operation, row as Row))
      const count = Number(headers['x-total-count'] ?? total)
      const end = Number(request.query['start'] ?? 0) + rows.length
      if (more.length === 0 && count > end)
        more.push(
          `more: ${rows.length} of ${count} are shown; --start ${end} continues, --limit 0 shows all.`,
        )
      const none = screen.isTerminal ? ['Nothing found.'] : []
      return { lines: rows.length === 0 ? none : formatTable(rows, screen), more }
    }
  }
  if (body['isDone'] === false) more.push('more: repeat the command for those that are left.')
  if (sentence.length > 0 && isDeletion(operation)) return { lines: sentence, more }
  const [[, only] = [], ...others] = Object.entries(members)
  const isWrapped = others.length === 0 && typeof only === 'object' && !Array.isArray(only)
  const record = isWrapped ? ((only ?? {}) as Row) : members
  const lines = formatRecord(masked(operation, record), screen)
  const separator = lines.length > 0 && sentence.length > 0 ? [''] : []
  const all = [...lines, ...separator, ...sentence]
  return { lines: all.length === 0 ? ['Done.'] : all, more }
}

/** What was typed for a field of the request. */
function typed(operation: Operation, field: string): string {
  const [name = ''] = field.split('.')
  return Object.hasOwn(optionsOf(operation), name) ? `--${kebab(name)}` : field
}

/** Terminals keep their output: the DSN of a transport is shown without its secrets. `--json` has them. */
function masked({ tags }: Operation, record: Row): Row {
  const { mailerDsn } = record
  if (tags[0] !== 'multipleTransports' || typeof mailerDsn !== 'string' || !('id' in record))
    return record
  return { ...record, mailerDsn: maskDsn(mailerDsn) }
}

function exitCodeOf(status: number, { success, statusCodes, isDone }: Row): number {
  if (status >= 400) return exitCodeOfKind(kindOf(status))
  if (success === false) return exitCodes.upstream
  const hasFailed = Array.isArray(statusCodes) && statusCodes.some((each) => each >= 400)
  return hasFailed || isDone === false ? exitCodes.failed : exitCodes.ok
}

/** Writes an answer as it comes. A terminal gets no control characters of others. */
async function copy(
  stream: Readable,
  stdout: CommandContext['environment']['stdout'],
): Promise<void> {
  if (stdout.isTTY === true) stream.setEncoding('utf8')
  for await (const piece of stream) {
    const shown =
      typeof piece === 'string' ? piece.split('\n').map(withoutControls).join('\n') : piece
    const isFull = stdout.write(shown) === false
    if (isFull && stdout.once !== undefined)
      await new Promise<void>((resolve) => stdout.once?.('drain', resolve))
  }
}
