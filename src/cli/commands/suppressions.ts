import type { App } from '../../app.ts'
import { exitCodes } from '../errors.ts'
import { usageError } from '../input.ts'
import type { CommandContext } from '../output.ts'
import { findFilterId, recordKinds } from '../records.ts'
import { operatorKey, withApp } from '../session.ts'
import { type ListOptions, listRecords } from './lists.ts'

/** What found bounces. */
interface EvidenceOptions {
  /** An id or a name, or `default`. */
  transport?: string
}

/** `mailyard suppression list`: the newest first, with what found each. */
export async function listSuppressions(
  context: CommandContext,
  {
    address,
    reason,
    transport,
    ...options
  }: EvidenceOptions & ListOptions & { address?: string; reason?: string },
): Promise<number> {
  return listRecords(context, recordKinds.suppression, {
    ...options,
    readParameters: async (app) => {
      const { transportId } = await readEvidence(app, { transport })
      return {
        address,
        reason,
        transportId: transportId ?? undefined,
        transport: transportId === null ? 'default' : undefined,
      }
    },
  })
}

/** `mailyard suppression undo`: deletes the bounces that a transport has found. */
export async function undoSuppressions(
  { environment, output }: CommandContext,
  { dryRun, ...evidence }: EvidenceOptions & { dryRun?: boolean },
): Promise<number> {
  if (Object.keys(evidence).length === 0) throw usageError('Give --transport.')
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

/** Returns the id of the transport that found bounces; null for the configured one. */
async function readEvidence(app: App, { transport }: { transport?: string | undefined }) {
  if (transport === 'default') return { transportId: null }
  return { transportId: await findFilterId(app, recordKinds.transport, transport) }
}
