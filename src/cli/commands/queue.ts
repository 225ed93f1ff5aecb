import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { callerKey } from '../../kit/caller.ts'
import {
  type ChangeResult,
  isFiltered,
  type QueueAction,
  type QueueFilter,
  queueFilterWords,
} from '../../queue/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { operator, withApp } from '../session.ts'
import { findMautic } from './mautic.ts'

const limitDefault = 30
const nothingWaits = `No message waits: each was sent or has its outcome in ${commandName} delivery list`
const hourMs = 3_600_000

/** The options that choose messages. */
interface FilterOptions {
  state?: string
  lane?: string
  transport?: string
  recipient?: string
  sender?: string
  mautic?: string
  email?: string
  olderThan?: string
}

/** `mailyard queue list`: the newest first. */
export async function listQueue(
  { environment, output }: CommandContext,
  { limit, ...options }: FilterOptions & { limit?: string },
): Promise<number> {
  const limitRows = readNumber('--limit', limit) ?? limitDefault
  return withApp(environment, async (app) => {
    const mauticId = await findMauticId(app, options.mautic)
    const filter = { ...readFilter(options, Date.now()), mauticId }
    const rows = []
    let after: number | undefined
    while (rows.length < limitRows) {
      const page = { owner: 'command line', after, limit: limitRows - rows.length }
      const { messages, next } = await app.delivery.queue.list(filter, page)
      rows.push(...messages)
      if (next === null) break
      after = next
    }
    const columns = [
      'id',
      'dateAdded',
      'recipient',
      'sender',
      'lane',
      'state',
      'transport',
      'attempts',
      'nextAttempt',
      'problem',
    ]
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const none = isFiltered ? `Everything that is queued: ${commandName} queue list` : nothingWaits
    output.printTable(rows, columns, none)
    return exitCodes.ok
  })
}

export const retryQueued = createChange('retry', 'Due now')
export const holdQueued = createChange('hold', 'Held')
export const releaseQueued = createChange('release', 'Released')
export const cancelQueued = createChange('cancel', 'Cancelled')

/** Creates `mailyard queue retry` and the like: of the messages with these ids, or of all that the options choose. */
function createChange(action: QueueAction, done: string) {
  return async (
    { environment, output }: CommandContext,
    { all, dryRun, ...options }: FilterOptions & { all?: boolean; dryRun?: boolean },
    ...ids: string[]
  ): Promise<number> => {
    const filter = readFilter(options, Date.now())
    if (ids.length > 0 && (Object.keys(options).length > 0 || all === true))
      throw usageError('Give ids or filters, not both.')
    const hasFilter = isFiltered(filter) || options.mautic !== undefined
    if (ids.length === 0 && !hasFilter && all !== true)
      throw usageError('Give ids, at least one filter, or --all.')
    if (ids.length > 0 && dryRun === true) throw usageError('--dry-run needs filters or --all.')
    const numbers = ids.map((id) => readNumber('The id', id) ?? 0)
    return withApp(environment, async (app) => {
      const mauticId = await findMauticId(app, options.mautic)
      if (dryRun !== true) await app.delivery.processes.expireSilent()
      const result =
        numbers.length > 0
          ? await changeEach(app, action, numbers)
          : await changeAll(app, { action, filter: { ...filter, mauticId }, dryRun })
      if (dryRun === true) {
        output.print(result, [`Would change: ${result.changed}. Others match: ${result.skipped}.`])
        return exitCodes.ok
      }
      const { changed, skipped, failures } = result
      output.print(result, [
        `${done}: ${changed}.`,
        ...(skipped > 0 ? [`Skipped, being sent or in another state: ${skipped}.`] : []),
        ...failures.map(({ id, error }) => `${id}: ${error}`),
      ])
      return failures.length === 0 ? exitCodes.ok : exitCodes.failed
    })
  }
}

/** `mailyard queue brakes`: the groups of bulk messages that their brakes hold. */
export async function listBrakes({ environment, output }: CommandContext): Promise<number> {
  return withApp(environment, async (app) => {
    const brakes = await app.delivery.queue.listBrakes(callerKey(operator))
    const rows = brakes.map((brake) => ({ ...brake, mautic: brake.mautic?.name ?? null }))
    const columns = ['id', 'mautic', 'senderDomain', 'transport', 'held', 'since', 'problem']
    output.printTable(rows, columns, `Everything that is queued: ${commandName} queue list`)
    return exitCodes.ok
  })
}

/** `mailyard queue brakes continue`. */
export const continueBrake = createEndBrake('Released', (queue, id) => queue.continueBrake(id))

/** `mailyard queue brakes cancel`. */
export const cancelBrake = createEndBrake('Cancelled', (queue, id) =>
  queue.cancelBrake(id, operator.name),
)

type QueueAdmin = App['delivery']['queue']

/** Creates a command that ends a brake. */
function createEndBrake(
  done: string,
  end: (queue: QueueAdmin, id: number) => ReturnType<QueueAdmin['cancelBrake']>,
) {
  return async ({ environment, output }: CommandContext, _: object, id: string) => {
    const brakeId = readNumber('The id', id) ?? 0
    return withApp(environment, async (app) => {
      let changed = 0
      for (;;) {
        const step = await end(app.delivery.queue, brakeId)
        changed += step.changed
        if (!step.isDone && step.changed > 0) continue
        const { left, isDone } = step
        const lines = [`${done}: ${changed}.`]
        if (!isDone)
          lines.push(
            `Left: ${left}. They are being sent, or no attempt has chosen their transport yet. The brake holds on: repeat the command while Mailyard runs.`,
          )
        output.print({ changed, left }, lines)
        return isDone ? exitCodes.ok : exitCodes.failed
      }
    })
  }
}

interface Changed {
  changed: number
  skipped: number
  failures: { id: number; error: string }[]
}

async function changeEach(app: App, action: QueueAction, ids: readonly number[]): Promise<Changed> {
  const result: Changed = { changed: 0, skipped: 0, failures: [] }
  for (const id of ids) {
    try {
      await app.delivery.queue.change({ action, by: operator.name }, id)
      result.changed += 1
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'upstream') throw error
      result.failures.push({ id, error: error.message })
    }
  }
  return result
}

/** With `dryRun`, it counts only. */
async function changeAll(
  app: App,
  {
    action,
    filter,
    dryRun = false,
  }: { action: QueueAction; filter: QueueFilter; dryRun?: boolean | undefined },
): Promise<Changed> {
  const result: Changed = { changed: 0, skipped: 0, failures: [] }
  for (let after: number | null = 0; after !== null; ) {
    const by = operator.name
    const { queue } = app.delivery
    const step: ChangeResult = dryRun
      ? await queue.countMany(action, filter, after)
      : await queue.changeMany({ action, by }, filter, after)
    result.changed += step.changed
    result.skipped += step.skipped
    after = step.next
  }
  return result
}

/** Returns the id of a Mautic. Throws an AppError (`not_found`) for an unknown name. */
async function findMauticId(app: App, mautic: string | undefined): Promise<number | undefined> {
  if (mautic === undefined) return undefined
  // The messages of a deleted Mautic still have its id.
  return /^\d{1,15}$/.test(mautic) ? Number(mautic) : (await findMautic(app, mautic)).id
}

function readFilter(options: FilterOptions, now: number): QueueFilter {
  const hours = readNumber('--older-than', options.olderThan)
  const states = options.state?.split(',')
  const { transports } = queueFilterWords
  const { transport = '' } = options
  const named = Object.hasOwn(transports, transport)
    ? transports[transport as keyof typeof transports]
    : readNumber('--transport', options.transport)
  return {
    states: states?.map((state) => readWord('--state', state, queueFilterWords.states)),
    lane:
      options.lane === undefined
        ? undefined
        : readWord('--lane', options.lane, queueFilterWords.lanes),
    transportId: named,
    recipient: options.recipient,
    sender: options.sender,
    emailId: readNumber('--email', options.email),
    addedBefore: hours === undefined ? undefined : now - hours * hourMs,
  }
}

function readWord<Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text)
  if (word !== undefined) return word
  throw usageError(`${option} "${text}" must be one of ${words.join(', ')}.`)
}

function readNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d{1,15}$/.test(text) && number > 0) return number
  throw usageError(`${option} "${text}" must be a whole number of 1 or more.`)
}

function usageError(message: string): AppError {
  return new AppError('invalid', 'option_invalid', message)
}
