import type { App } from '../../app.ts'
import { exitCodes } from '../errors.ts'
import { readNumber, usageError } from '../input.ts'
import type { CommandContext } from '../output.ts'
import { findFilterId, recordKinds } from '../records.ts'
import { operatorKey, withApp } from '../session.ts'
import { type ListOptions, listRecords } from './lists.ts'

/** What found bounces. */
interface EvidenceOptions {
  broadcast?: string
  /** An id or a name, or `default`. */
  transport?: string
}

/** `mailyard suppression list`: the newest first, with what found each. */
export async function listSuppressions(
  context: CommandContext,
  {
    address,
    reason,
    broadcast,
    transport,
    ...options
  }: EvidenceOptions & ListOptions & { address?: string; reason?: string },
): Promise<number> {
  return listRecords(context, recordKinds.suppression, {
    ...options,
    readParameters: async (app) => {
      const { broadcastId, transportId } = await readEvidence(app, { broadcast, transport })
      return {
        address,
        reason,
        broadcastId,
        transportId: transportId ?? undefined,
        transport: transportId === null ? 'default' : undefined,
      }
    },
  })
}

/** `mailyard suppression undo`: deletes the bounces that a broadcast or a transport has found. */
export async function undoSuppressions(
  { environment, output }: CommandContext,
  { dryRun, ...evidence }: EvidenceOptions & { dryRun?: boolean },
): Promise<number> {
  if (Object.keys(evidence).length === 0) throw usageError('Give --broadcast or --transport.')
  return withApp(environment, async (app) => {
    const { undo } = app.suppressions
    const filter = await readEvidence(app, evidence)
    const work = dryRun === true ? undo.count(filter, operatorKey) : undo.undo(filter)
    const suppressions = await work
    const verb = dryRun === true ? 'Would undo' : 'Undone'
    output.print({ suppressions }, [`${verb}: ${suppressions}.`])
    return exitCodes.ok
  })
}

/** Returns the ids of what found bounces; null for the configured transport. */
async function readEvidence(
  app: App,
  { broadcast, transport }: { broadcast?: string | undefined; transport?: string | undefined },
) {
  const broadcastId = readNumber('--broadcast', broadcast)
  if (transport === 'default') return { broadcastId, transportId: null }
  return { broadcastId, transportId: await findFilterId(app, recordKinds.transport, transport) }
}
