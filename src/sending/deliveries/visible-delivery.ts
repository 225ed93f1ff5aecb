import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { secretMask } from '../../mailer/index.ts'
import type { WayStep } from '../way/way.ts'
import type { DeliveryItem } from './delivery-item.ts'
import type { DeliveryQuery } from './delivery-query.ts'

const transportsView = 'multipleTransports:view'
const contactsView = 'contact:view'
const usersView = 'user:view'

/**
 * Returns what the caller may see of a delivery: details of transports (names, hosts, what their servers say)
 * need `multipleTransports:view`, contacts and their addresses `contact:view`, names of users `user:view`.
 */
export function visibleDelivery(item: DeliveryItem, caller: Caller): DeliveryItem {
  const seesTransports = caller.can(transportsView)
  const seesContacts = caller.can(contactsView)
  // Replies and reasons name hosts, and repeat the address of the recipient.
  const seesReplies = seesTransports && seesContacts
  return {
    ...item,
    ...(seesTransports ? {} : { transportId: null, transport: null, member: null }),
    ...(seesContacts ? {} : { contactId: null, recipient: secretMask }),
    ...(seesReplies ? {} : { reply: codeOf(item.reply), reason: null, providerId: null }),
    trace: visibleTrace(item.trace, caller),
  }
}

/** Returns what the caller may see of how a transport was found. */
export function visibleTrace(trace: readonly WayStep[], caller: Caller): WayStep[] {
  if (!caller.can(transportsView))
    return trace.map((step) => ({ ...step, transport: null, reason: hidden(transportsView) }))
  if (caller.can(usersView)) return [...trace]
  return trace.map((step) =>
    step.source === 'owner' ? { ...step, reason: hidden(usersView) } : step,
  )
}

/** Returns a problem of a transport, or that the caller may not see it. */
export function visibleProblem(problem: string | null, caller: Caller): string | null {
  return problem === null || caller.can(transportsView) ? problem : hidden(transportsView)
}

/** Throws an AppError (`forbidden`) for filters by what the caller may not see, which would tell it. */
export function checkFilters(query: DeliveryQuery, caller: Caller): void {
  const { transportId, transport, member, contactId, recipient, search } = query
  const isGiven = (value: unknown) => value !== undefined
  const needed = [
    ...([transportId, transport, member, search].some(isGiven) ? [transportsView] : []),
    ...([contactId, recipient, search].some(isGiven) ? [contactsView] : []),
  ].filter((permission) => !caller.can(permission))
  if (needed.length === 0) return
  const message = `You do not have permission to filter by this (${needed.join(', ')}).`
  throw new AppError('forbidden', 'permission_missing', message)
}

function hidden(permission: string): string {
  return `Hidden: you do not have permission to view it (${permission}).`
}

/** The codes of a reply, without its text. */
function codeOf(reply: string | null): string | null {
  return /^\d{3}( \d\.\d{1,3}\.\d{1,3})?/.exec(reply ?? '')?.[0] ?? null
}
