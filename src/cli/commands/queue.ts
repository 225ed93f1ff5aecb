import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import {
  type ChangeResult,
  isFiltered,
  type QueueAction,
  type QueueFilter,
  queueFilterWords,
} from '../../queue/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import { readId, readLimit, readNumber, readWord, usageError } from '../input.ts'
import type { CommandContext } from '../output.ts'
import { Progress } from '../progress.ts'
import { findFilterId, recordKinds } from '../records.ts'
import { operator, operatorKey, withApp } from '../session.ts'
import { type Columns, formatRecord, formatTable } from '../table.ts'
import { attemptColumns } from './lists.ts'

const nothingWaits = `Nothing is queued: each message was sent or has its outcome in ${commandName} delivery list`
const seeAll = `Everything that is queued: ${commandName} queue list`
const hourMs = 3_600_000

const queueColumns = {
  ID: 'id',
  Added: 'dateAdded',
  Recipient: 'recipient',
  Sender: 'sender',
  Subject: 'subject',
  Lane: 'lane',
  State: 'state',
  Transport: 'transport',
  Attempts: 'attempts',
  'Next attempt': 'nextAttempt',
  Problem: 'problem',
} as const

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
  const limitRows = readLimit(limit)
  return withApp(environment, async (app) => {
    const filter = await readFilter(app, options)
    const rows = []
    let after: number | undefined
    while (rows.length < limitRows) {
      const page = { owner: operatorKey, after, limit: limitRows - rows.length }
      const { messages, next } = await app.delivery.queue.list(filter, page)
      rows.push(...messages)
      if (next === null) break
      after = next
    }
    const empty = isFiltered(filter) ? `No queued message matches. ${seeAll}` : nothingWaits
    output.printTable(rows, queueColumns, { empty, limit: limitRows })
    return exitCodes.ok
  })
}

/** `mailyard queue show`: a recipient of a queued message, with its other recipients and its attempts. */
export async function showQueued(
  { environment, output }: CommandContext,
  _: object,
  id = '',
): Promise<number> {
  const number = readId(id)
  return withApp(environment, async (app) => {
    const details = await app.delivery.queue.get(number, operator)
    const others = details.recipients.map(({ recipient, state }) => `${recipient} (${state})`)
    const lines = formatRecord(
      details.message,
      {
        ...queueColumns,
        Expires: 'expires',
        Bytes: 'sizeBytes',
        Mautic: ({ mautic }) => mautic?.name,
        Email: 'emailId',
        Contact: 'contactId',
        'Submitted by': 'caller',
        'Message-ID': 'messageId',
        'Other recipients': () => others,
      },
      output.screen,
    )
    const attempts = formatTable(details.attempts, attemptColumns, output.screen)
    output.print(details, details.attempts.length === 0 ? lines : [...lines, '', ...attempts])
    return exitCodes.ok
  })
}

/** What is said of the messages that were changed. */
const doneWords: Record<QueueAction, string> = {
  retry: 'Due now',
  hold: 'Held',
  release: 'Released',
  cancel: 'Cancelled',
}

/** `mailyard queue retry` and the like: changes the messages with these ids, or all that the options choose. */
export async function changeQueued(
  { environment, output }: CommandContext,
  { action, ids }: { action: QueueAction; ids: readonly string[] },
  { all, dryRun, ...options }: FilterOptions & { all?: boolean; dryRun?: boolean },
): Promise<number> {
  if (ids.length > 0 && (Object.keys(options).length > 0 || all === true))
    throw usageError('Give ids or filters, not both.')
  if (ids.length > 0 && dryRun === true) throw usageError('--dry-run needs filters or --all.')
  const numbers = ids.map(readId)
  return withApp(environment, async (app) => {
    const filter = await readFilter(app, options)
    if (ids.length === 0 && !isFiltered(filter) && all !== true)
      throw usageError('Give ids, at least one filter, or --all.')
    if (dryRun !== true) await app.delivery.processes.expireSilent()
    const result =
      numbers.length > 0
        ? await changeEach(app, action, numbers)
        : await changeAll(app, environment, { action, filter, dryRun })
    if (dryRun === true) {
      output.print(result, [`Would change: ${result.changed}. Others match: ${result.skipped}.`])
      return exitCodes.ok
    }
    const { changed, skipped, failures } = result
    output.print(result, [
      `${doneWords[action]}: ${changed}.`,
      ...(skipped > 0 ? [`Skipped, being sent or in another state: ${skipped}.`] : []),
      ...failures.map(({ id, error }) => `${id}: ${error}`),
    ])
    return failures.length === 0 ? exitCodes.ok : exitCodes.failed
  })
}

/** `mailyard queue brakes`: the groups of bulk messages that their brakes hold. */
export async function listBrakes({ environment, output }: CommandContext): Promise<number> {
  return withApp(environment, async (app) => {
    const brakes = await app.delivery.queue.listBrakes(operatorKey)
    const columns: Columns<(typeof brakes)[number]> = {
      ID: 'id',
      Mautic: ({ mautic }) => mautic?.name,
      'Sender domain': 'senderDomain',
      Transport: 'transport',
      Held: 'held',
      Since: 'since',
      Problem: 'problem',
    }
    output.printTable(brakes, columns, { empty: `No brake holds messages. ${seeAll}` })
    return exitCodes.ok
  })
}

/** `mailyard queue brakes continue` and `cancel`: ends a brake. */
export async function endBrake(
  { environment, output }: CommandContext,
  action: 'continue' | 'cancel',
  id: string,
): Promise<number> {
  const brakeId = readId(id)
  return withApp(environment, async ({ delivery: { queue } }) => {
    let changed = 0
    for (;;) {
      const step =
        action === 'continue'
          ? await queue.continueBrake(brakeId)
          : await queue.cancelBrake(brakeId, operator.name)
      changed += step.changed
      if (!step.isDone && step.changed > 0) continue
      const { left, isDone } = step
      const lines = [`${action === 'continue' ? 'Released' : 'Cancelled'}: ${changed}.`]
      if (!isDone)
        lines.push(
          `Left: ${left}. They are being sent, or no attempt has chosen their transport yet. The brake holds on: repeat the command while Mailyard runs.`,
        )
      output.print({ changed, left }, lines)
      return isDone ? exitCodes.ok : exitCodes.failed
    }
  })
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
  { stderr }: CommandContext['environment'],
  {
    action,
    filter,
    dryRun = false,
  }: { action: QueueAction; filter: QueueFilter; dryRun?: boolean | undefined },
): Promise<Changed> {
  const result: Changed = { changed: 0, skipped: 0, failures: [] }
  const progress = new Progress(stderr, `${dryRun ? 'Counting' : 'Changing'} queued messages`)
  try {
    for (let after: number | null = 0; after !== null; ) {
      const by = operator.name
      const { queue } = app.delivery
      const step: ChangeResult = dryRun
        ? await queue.countMany(action, filter, after)
        : await queue.changeMany({ action, by }, filter, after)
      result.changed += step.changed
      result.skipped += step.skipped
      after = step.next
      progress.show(result.changed + result.skipped)
    }
    return result
  } finally {
    progress.end()
  }
}

/** Reads the filters. Throws an AppError (`invalid`, `not_found`, `conflict`). */
async function readFilter(app: App, options: FilterOptions): Promise<QueueFilter> {
  const hours = readNumber('--older-than', options.olderThan)
  const states = options.state?.split(',')
  const { transports } = queueFilterWords
  const { transport = '', email } = options
  // A variable that is not set must not select everything.
  for (const name of ['recipient', 'sender'] as const)
    if (options[name]?.trim() === '')
      throw usageError(`--${name} is empty. Give an address, or a part of one.`)
  const mauticId = await findFilterId(app, recordKinds.mautic, options.mautic)
  return {
    states: states?.map((state) => readWord('--state', state, queueFilterWords.states)),
    lane:
      options.lane === undefined
        ? undefined
        : readWord('--lane', options.lane, queueFilterWords.lanes),
    transportId: Object.hasOwn(transports, transport)
      ? transports[transport as keyof typeof transports]
      : await findFilterId(app, recordKinds.transport, options.transport),
    recipient: options.recipient,
    sender: options.sender,
    mauticId,
    // The names of its emails are those of Mailyard.
    emailId:
      mauticId === undefined
        ? await findFilterId(app, recordKinds.email, email)
        : readNumber('--email', email),
    addedBefore: hours === undefined ? undefined : Date.now() - hours * hourMs,
  }
}
