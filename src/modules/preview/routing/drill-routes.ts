import { brandsOf, chooseMautic, type MauticFinder } from '../../../core/mautic/index.ts'
import type { MovedQuestion, MovedSender } from '../../../core/sending/index.ts'
import type { Transports } from '../../../core/transports/index.ts'
import type { Callers, HttpApp } from '../../../platform/http/index.ts'
import { type DrillOptions, drillTransports } from './drill.ts'
import { drillSchema, listedMax } from './drill-schema.ts'

export interface DrillRouteParts extends DrillOptions {
  transports: Pick<Transports, 'getRow'>
  mautics: MauticFinder
  callers: Callers
  /** Finds the From domains that would not be believed through what takes over. */
  findMoved: (question: MovedQuestion) => Promise<MovedSender[]>
}

function firstOf<Item>(items: readonly Item[]) {
  return { total: items.length, items: items.slice(0, listedMax) }
}

/** Adds `POST /api/multipleTransport/drill`. */
export function addDrillRoute(app: HttpApp, parts: DrillRouteParts): void {
  const { transports, mautics, callers, findMoved } = parts
  const config = { permission: 'multipleTransports:view' as const }
  app.post('/api/multipleTransport/drill', { schema: drillSchema, config }, async (request) => {
    const caller = callers.of(request)
    const mautic = await chooseMautic(request.body.mautic, { caller, mautics })
    const ids = [...new Set(request.body.down)]
    const down = await Promise.all(ids.map((id) => transports.getRow(id, caller)))
    const { targets, emails, users } = await drillTransports(parts, { down, mautic, caller })
    const targetOf = new Map(
      targets.flatMap(({ to }) =>
        to.kind === 'none' ? [] : [[to.transport?.id ?? 0, to] as const],
      ),
    )
    const moved = await findMoved({
      down: down.map(({ id }) => id),
      targets: [...targetOf.keys()],
      brands: mautic === undefined ? caller.brands : brandsOf(mautic),
    })
    // Of a list that is down in part, what remains is a member of it.
    for (const { id, name } of down)
      targetOf.set(id, { kind: 'transport', transport: { id, name } })
    const senders = moved.flatMap(({ transportId, ...each }) => {
      const to = targetOf.get(transportId)
      return to === undefined ? [] : [{ to, ...each }]
    })
    return {
      targets: targets.slice(0, listedMax),
      senders: firstOf(senders),
      emails: caller.can('email:view') ? firstOf(emails) : null,
      users: caller.can('user:view') ? firstOf(users) : null,
    }
  })
}
