import Type, { type Static } from 'typebox'
import { type Caller, callerKey, noBrand } from '../../../kit/caller.ts'
import { formatDate } from '../../../kit/iso-date.ts'
import { nullable } from '../../../platform/http/index.ts'
import type { ListReads, Storage } from '../../../platform/storage/index.ts'
import { findMauticNames, mauticSchema, presentMautic } from '../../deliveries/index.ts'
import { defaultTransport } from '../../delivery/index.ts'
import type { Transports } from '../../transports/index.ts'
import { ofBrand } from '../queue-item.ts'
import type { QueueTables } from '../table.ts'
import { brakeKinds, describeReason } from './brake-windows.ts'
import type { BrakedGroup } from './bulk-brakes.ts'

const example = {
  id: 1,
  mautic: null,
  senderDomain: 'news.example.com',
  transportId: 2,
  transport: 'Try-out',
  kind: 'refusals' as const,
  messages: 60,
  affected: 58,
  held: 1_200,
  problem: '58 of the last 60 attempts were refused for good (96.7 %).',
  since: '2026-01-31T15:54:35+00:00',
}

/** A group of bulk messages that its brake holds, as the API shows it. */
export const brakeItem = Type.Object(
  {
    id: Type.Integer(),
    mautic: mauticSchema,
    senderDomain: Type.String({ description: 'The domain of the sender in the envelope.' }),
    transportId: nullable(Type.Integer()),
    transport: nullable(Type.String(), { description: '`default` for the configured one.' }),
    kind: Type.Enum([...brakeKinds], {
      description:
        'Why it holds them: 20 % or more of at least 50 attempts were refused for good, more than 5 % of the last accepted messages bounced, or more than 0.3 % were complained about.',
    }),
    messages: Type.Integer({
      description: 'How many of the last messages were looked at: attempts, or accepted ones.',
    }),
    affected: Type.Integer({
      description: 'How many of these were refused for good, bounced or were complained about.',
    }),
    held: Type.Integer({ description: 'Messages that it holds now, one for each recipient.' }),
    problem: Type.String({ description: 'Why it holds them.' }),
    since: Type.String(),
    brand: ofBrand,
  },
  { title: 'Brake', examples: [example] },
)
export type BrakeItem = Static<typeof brakeItem>

/** What came of continuing or cancelling. */
export const brakeResult = Type.Object({
  changed: Type.Integer({
    description: 'How many messages were released or cancelled, one for each recipient.',
    examples: [1_200],
  }),
  left: Type.Integer({
    description:
      'How many may belong to the brake too: they are being sent, or no attempt has chosen their transport yet. Until they are cancelled, the brake holds them.',
    examples: [0],
  }),
  isDone: Type.Boolean({
    description: 'False if messages are left: the brake holds on. Repeat the request.',
    examples: [true],
  }),
})
export type BrakeResult = Static<typeof brakeResult>

interface PresentBrakesOptions {
  storage: Storage
  transports: Pick<Transports, 'findRow'>
  caller: Caller
}

/** Returns groups with the names of their transports, and how many messages wait. */
export async function presentBrakes(
  groups: readonly BrakedGroup[],
  { storage, transports, caller }: PresentBrakesOptions,
): Promise<BrakeItem[]> {
  const reads = storage.lists<QueueTables>(callerKey(caller), true)
  const ids = groups.map(({ mauticId }) => ({ mautic_id: mauticId }))
  const mautics = await findMauticNames(storage, ids, caller)
  return Promise.all(
    groups.map(
      async ({ id, mauticId, senderDomain, transportId: column, brand, brakedAt, ...reason }) => {
        const transportId = column > 0 ? column : null
        const row = transportId === null ? undefined : await transports.findRow(transportId, caller)
        return {
          id,
          mautic: presentMautic(mauticId, mautics),
          senderDomain,
          transportId,
          transport: column === defaultTransport ? 'default' : (row?.name ?? null),
          ...reason,
          held: await countHeld(reads, id),
          problem: describeReason(reason),
          since: formatDate(brakedAt),
          ...(brand !== noBrand && { brand }),
        }
      },
    ),
  )
}

async function countHeld(
  { db, isInTime }: ListReads<QueueTables>,
  brakeId: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('queue_recipients')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('brake_id', '=', brakeId)
    .where(isInTime)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns what the caller may see of a brake. */
export function visibleBrake(item: BrakeItem, caller: Caller): BrakeItem {
  return caller.can('multipleTransports:view')
    ? item
    : { ...item, transportId: null, transport: null }
}
