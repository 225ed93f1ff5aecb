import { AppError } from '../../kit/app-error.ts'
import { callerKey } from '../../kit/caller.ts'
import { parseListQuery } from '../../resource/index.ts'
import { suppressionShape } from '../../suppressions/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { operator, withApp } from '../session.ts'

const limitDefault = '30'
const addSuppression = `Add one in the console, or with: api suppressions/new -d '{"address": "carla@example.net"}'`
const listAll = `All suppressions: ${commandName} suppression list`

/** What found bounces. */
interface EvidenceOptions {
  broadcast?: string
  /** An id, or `default`. */
  transport?: string
}

/** `mailyard suppression list`: the newest first, with what found each. */
export async function listSuppressions(
  { environment, output }: CommandContext,
  {
    limit = limitDefault,
    address,
    reason,
    ...evidence
  }: EvidenceOptions & {
    limit?: string
    address?: string
    reason?: string
  },
): Promise<number> {
  const { fields, parameters } = suppressionShape
  const named = Object.entries({ address, reason, ...toParameters(evidence) }).filter(
    ([, value]) => value !== undefined,
  )
  const asked = { ...Object.fromEntries(named), limit, orderBy: 'id', orderByDir: 'desc' }
  const query = parseListQuery(asked, { fields, parameters, limit: Number(limitDefault) })
  return withApp(environment, async (app) => {
    const rows = []
    for await (const page of app.suppressions.list(query, operator).pages()) rows.push(...page)
    const columns = [
      'id',
      'address',
      'reason',
      'senderDomain',
      'source',
      'dateAdded',
      'transportId',
      'broadcastId',
      'deliveryId',
    ]
    output.printTable(rows, columns, named.length > 0 ? listAll : addSuppression)
    return exitCodes.ok
  })
}

/** `mailyard suppression undo`: deletes the bounces that a broadcast or a transport has found. */
export async function undoSuppressions(
  { environment, output }: CommandContext,
  { dryRun, ...evidence }: EvidenceOptions & { dryRun?: boolean },
): Promise<number> {
  const { broadcastId, transportId, transport } = toParameters(evidence)
  if (broadcastId === undefined && transportId === undefined && transport === undefined)
    throw new AppError('invalid', 'option_invalid', 'Give --broadcast or --transport.')
  const filter = {
    broadcastId: readId('--broadcast', broadcastId),
    transportId: transport === undefined ? readId('--transport', transportId) : null,
  }
  return withApp(environment, async ({ suppressions: { undo } }) => {
    const work = dryRun === true ? undo.count(filter, callerKey(operator)) : undo.undo(filter)
    const suppressions = await work
    const verb = dryRun === true ? 'Would undo' : 'Undone'
    output.print({ suppressions }, [`${verb}: ${suppressions}.`])
    return exitCodes.ok
  })
}

/** The parameters of the API that stand for the options. */
function toParameters({ broadcast, transport }: EvidenceOptions) {
  const isDefault = transport === 'default'
  return {
    broadcastId: broadcast,
    transportId: isDefault ? undefined : transport,
    transport: isDefault ? transport : undefined,
  }
}

function readId(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  const message = `${option} "${text}" must be a whole number of 1 or more.`
  throw new AppError('invalid', 'option_invalid', message)
}
