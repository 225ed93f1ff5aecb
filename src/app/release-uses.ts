import type { Transaction } from 'kysely'
import * as assignments from '../core/assignments/index.ts'
import { describeOwned } from '../core/contacts/index.ts'
import * as limits from '../core/limits/index.ts'
import * as mautic from '../core/mautic/index.ts'
import { describeQueued } from '../core/queue/index.ts'
import { describeWebhooks } from '../modules/events/index.ts'
import { removeTransportChecks } from '../modules/senders/index.ts'
import { type Consequence, joinConsequences, type Released } from '../platform/resource/index.ts'

/** What the deletion of a transport released, by module. */
interface TransportUses {
  assignments?: unknown
  limits?: unknown
  mautics?: unknown
}

/** Ends what uses a transport that is being deleted; see `TransportsOptions`. */
export async function releaseTransport(id: number, tx: Transaction<object>): Promise<Released> {
  const assigned = await assignments.releaseTransport(id, tx)
  const limited = await limits.releaseTransport(id, tx)
  const mautics = await mautic.releaseTransport(id, tx)
  await removeTransportChecks(id, tx)
  const related: TransportUses = {
    assignments: assigned.related,
    limits: limited.related,
    mautics: mautics.related,
  }
  const consequence = joinConsequences([
    assigned.consequence,
    limited.consequence,
    mautics.consequence,
    await describeQueued(id, tx),
    await describeWebhooks(id, tx),
  ])
  return { consequence, related }
}

/** Brings back what `releaseTransport` ended; returns what it could not. */
export async function restoreTransport(
  id: number,
  related: unknown,
  tx: Transaction<object>,
): Promise<string[]> {
  const uses = related as TransportUses
  return [
    ...(await assignments.restoreTransport(id, uses.assignments, tx)),
    ...(await limits.restoreTransport(id, uses.limits, tx)),
    ...(await mautic.restoreTransport(id, uses.mautics, tx)),
  ]
}

/** Ends what uses an email that is being deleted; see `EmailsOptions`. */
export async function releaseEmail(id: number, tx: Transaction<object>): Promise<Released> {
  return { related: (await assignments.releaseEmail(id, tx)).related }
}

/** Describes what else changes with the deletion of a user; see `UsersOptions`. */
export async function describeUserRemoval(
  id: number,
  tx: Transaction<object>,
): Promise<Consequence | undefined> {
  return joinConsequences([
    await describeOwned(id, tx),
    await assignments.describeUserAssignment(id, tx),
  ])
}
